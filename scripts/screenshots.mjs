// Run by scripts/screenshots, which says how.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { chromium } = createRequire(join(process.env.PLAYWRIGHT_FOLDER, "package.json"))("playwright-core");
const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    language: { type: "string", default: "en" },
    size: { type: "string", default: "1280x900" },
    dark: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    notifications: { type: "boolean", default: false },
    wait: { type: "string", default: "4" },
    output: { type: "string", default: ".cache/screenshots" },
  },
});

let demo;
try {
  demo = JSON.parse(readFileSync(".cache/demo.json", "utf8"));
} catch {
  console.error("screenshots: start scripts/demo first");
  process.exit(1);
}
const [width, height] = options.size.split("x").map(Number);
mkdirSync(options.output, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: ["--disable-gpu", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])],
});
let failed = false;
try {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: options.dark ? "dark" : "light",
    locale: options.language === "zh-Hans" ? "zh-CN" : options.language,
  });
  // Where the frontend keeps its login: a long-lived token that never seems to expire does for it.
  await context.addInitScript(
    ({ base, token, language }) => {
      const login = { hassUrl: base, clientId: null, access_token: token, token_type: "Bearer", refresh_token: "" };
      const times = { expires_in: 315360000, expires: Date.now() + 3e11 };
      localStorage.setItem("hassTokens", JSON.stringify({ ...login, ...times }));
      localStorage.setItem("selectedLanguage", JSON.stringify(language));
      localStorage.setItem("dockedSidebar", '"docked"');
    },
    { ...demo, language: options.language },
  );
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`screenshots: error in the page: ${error}`));
  page.on("console", (message) => {
    if (message.type() === "error") console.error(`screenshots: console: ${message.text().slice(0, 300)}`);
  });
  const ready = () => document.querySelector("home-assistant")?.shadowRoot?.querySelector("home-assistant-main");
  for (const path of paths) {
    await page.goto(demo.base + path, { waitUntil: "domcontentloaded" });
    await page.waitForFunction(ready, null, { timeout: 60000 });
    await page.waitForTimeout(Number(options.wait) * 1000);
    if (options.notifications) {
      // What the bell in the sidebar does.
      await page.evaluate(() => {
        const show = new CustomEvent("hass-show-notifications", { bubbles: true, composed: true });
        document.querySelector("home-assistant").shadowRoot.querySelector("home-assistant-main").dispatchEvent(show);
      });
      await page.waitForTimeout(2000);
    }
    const name = [path.replace(/\W+/g, "-").replace(/^-|-$/g, "") || "start", options.language];
    if (options.notifications) name.push("notifications");
    if (options.dark) name.push("dark");
    if (width < 600) name.push("narrow");
    const file = join(options.output, `${name.join("_")}.png`);
    await page.screenshot({ path: file, fullPage: options.full });
    console.log(file);
  }
} catch (error) {
  console.error(`screenshots: ${error}`);
  failed = true;
}
await browser.close();
process.exit(failed ? 1 : 0);
