"""Rows of the suites whose label contradicts another source, each with that source; they are counted, not scored."""

_BOTH_ORDERS = (
    "day and month may change places; Sonarr must refuse such a date (DailyEpisodeParserFixture, 12.02.2025)"
)
_ABSOLUTE = (
    "three digits alone are an absolute number for Sonarr, anitopy and bug reports (parse-044, select-023)"
)
_SAME_INPUT = (
    "the same name in the same suite has the opposite answer under another option (0304, 0306, 0311)"
)
_HALF = "x.5 is a recap and no episode: Sonarr's special_absolute, cases parse-040, parse-057"
_CHAPTER = (
    "[Cap.201] is season 2, episode 1 for Sonarr (SingleEpisodeParserFixture) and guessit (episodes.yml)"
)

CONFLICTS: dict[str, str] = {
    "guessit-0305": _SAME_INPUT,
    "guessit-0307": _SAME_INPUT,
    "guessit-0308": _SAME_INPUT,
    "guessit-0330": "three digits before a picture's height are absolute: cases parse-083 (a test of Sonarr)",
    "guessit-0401": _ABSOLUTE,
    "guessit-0416": _BOTH_ORDERS,
    "guessit-0627": _HALF,
    "guessit_rules-0237": _BOTH_ORDERS,
    "guessit_rules-0238": _BOTH_ORDERS,
    "guessit_rules-0244": "the same name has another answer in the next row (0245): the order of a date is open",
    "guessit_rules-0245": "the same name has another answer in the row before (0244): the order of a date is open",
    "guessit_rules-0315": _ABSOLUTE,
    "guessit_rules-0316": _ABSOLUTE,
    "ptt-0105": _BOTH_ORDERS,
    "ptt-0163": _CHAPTER,
    "ptt-0195": _CHAPTER,
    "ptt-0295": _HALF,
    "ptt-0311": _CHAPTER,
    "radarr-0605": "S01E18 is an episode for Sonarr and everybody else; Radarr refuses it because it only has films",
    "sonarr-0182": _HALF,
}
