"""What a look into the share says about it, compared with what the message said."""

from collections.abc import Set as AbstractSet
from hashlib import blake2b

from ..media.episodes import from_name
from ..model.context import ShareFacts
from ..model.offer import Kind, Parsed, expand
from ..model.share import Entry, Listing

_VIDEOS = frozenset(
    """
    3gp asf avi divx f4v flv iso m2ts m4v mkv mov mp4 mpeg mpg mts ogm rm rmvb strm tp ts vob webm wmv
    """.split()  # noqa: SIM905
)


def is_video(entry: Entry) -> bool:
    """Whether a file is a film or an episode by its ending and its name; samples and trailers aren't."""
    return entry.name.rpartition(".")[2].casefold() in _VIDEOS and from_name(entry.name).extra is None


def facts(listing: Listing, earlier: AbstractSet[str] = frozenset()) -> ShareFacts:
    """Sum up a listing. `earlier` are the file ids of manifests that landed from this share before."""
    files = listing.files
    digest = blake2b(digest_size=8)
    for line in sorted(f"{entry.path}\t{entry.size}\t{entry.sha1}" for entry in files):
        digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
    return ShareFacts(
        files=len(files),
        videos=sum(map(is_video, files)),
        size=sum(entry.size for entry in files),
        title=listing.title,
        files_hash=digest.hexdigest(),
        newer=sum(entry.id not in earlier and is_video(entry) for entry in files) if earlier else None,
    )


def agreement(parsed: Parsed, share: ShareFacts) -> float:
    """How far the listing bears the message out: 1 it does, 0 it says nothing, -1 it contradicts."""
    if share.missing is not None or not share.files:
        return 0.0
    if not share.videos:
        return -1.0
    if parsed.kind is Kind.SERIES and parsed.episodes:
        return 1.0 if share.videos >= len(expand(parsed.episodes)) else -0.5
    if parsed.kind is Kind.SERIES and parsed.declared_total and parsed.complete:
        return 1.0 if share.videos >= parsed.declared_total else -0.5
    if parsed.kind is Kind.FILM and not parsed.collection:
        return 1.0 if share.videos <= 4 else -0.5
    return 0.5
