"""The catalogue of configuration faults: a stable code each, its title, and the longer story.

`xceadmin explain XCE1203` prints the story; a test checks that every code that is used stands here.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Code(NamedTuple):
    title: str
    story: str


NOT_SUPPORTED_YET: Final = "not_supported_yet"

SYNTAX: Final = "XCE1001"
TAB: Final = "XCE1002"
DUPLICATE_KEY: Final = "XCE1003"
TAG: Final = "XCE1004"
TOO_LARGE: Final = "XCE1005"
TOO_DEEP: Final = "XCE1006"
TOO_MANY: Final = "XCE1007"
ALIAS: Final = "XCE1008"
ENCODING: Final = "XCE1009"
DOCUMENTS: Final = "XCE1010"
UNKNOWN_FILE: Final = "XCE1011"
UNREADABLE: Final = "XCE1012"
UNKNOWN_KEY: Final = "XCE1101"
WRONG_TYPE: Final = "XCE1102"
MISSING_KEY: Final = "XCE1103"
BAD_SIZE: Final = "XCE1104"
BAD_DURATION: Final = "XCE1105"
BAD_NAME: Final = "XCE1106"
BAD_CHOICE: Final = "XCE1107"
OUT_OF_RANGE: Final = "XCE1108"
REPEATED: Final = "XCE1109"
MISPLACED: Final = "XCE1110"
EMPTY: Final = "XCE1111"
NO_QUEUE: Final = "XCE1201"
NO_PROFILE: Final = "XCE1202"
NO_RESOURCE: Final = "XCE1203"
NO_HOST: Final = "XCE1204"
NO_GROUP: Final = "XCE1205"
NO_PROJECT: Final = "XCE1206"
NO_LIMIT: Final = "XCE1207"
BAD_RANGE: Final = "XCE1301"
BAD_RESREQ: Final = "XCE1302"
COLLISION: Final = "XCE1303"
RESERVED: Final = "XCE1304"
DEFAULT_PROFILE: Final = "XCE1305"
CONTRADICTION: Final = "XCE1306"
BAD_VALUE: Final = "XCE1307"
BAD_LIMIT: Final = "XCE1308"
BUILTIN: Final = "XCE1309"
WRONG_LAYER: Final = "XCE1310"
SECRET_NAME: Final = "XCE1401"
SECRET_VALUE: Final = "XCE1402"
NO_HOST_MATCHES: Final = "XCE1403"
NO_QUEUE_RUNS: Final = "XCE1404"
NEVER_TRUE: Final = "XCE1405"

CATALOGUE: Final[Mapping[str, Code]] = {
    NOT_SUPPORTED_YET: Code(
        "the feature is not supported yet",
        "XCE knows the key or value, and has no feature that obeys it yet. It refuses it, since a key that "
        "is accepted and then ignored would promise what does not happen. Remove it until a release "
        "supports it.",
    ),
    SYNTAX: Code(
        "the file is not YAML",
        "The YAML parser stopped here, so the rest of this file was not read. A usual cause is a line that "
        "is indented by too little or too much, a missing space after `:`, or a text that needs quotes "
        "since it holds `: ` or starts with one of `[ { & * ! | > % @`.",
    ),
    TAB: Code("a tab indents a line", "YAML indents with spaces only. Configure the editor to insert spaces."),
    DUPLICATE_KEY: Code(
        "a key stands twice",
        "Most YAML readers silently keep the last of two equal keys. XCE refuses them: one of the two is not meant.",
    ),
    TAG: Code("a YAML tag", "Tags such as `!!python/object` or `!!int` are refused: XCE's keys know their types."),
    TOO_LARGE: Code("the file is too large", "A source file may have 16 MiB."),
    TOO_DEEP: Code("the file is nested too deeply", "Lists and mappings may be nested 64 levels deep."),
    TOO_MANY: Code(
        "the file has too many nodes",
        "A source file may have 1,000,000 nodes, aliases counted as often as they are used. Aliases of "
        "aliases multiply: a short file can stand for billions of nodes.",
    ),
    ALIAS: Code(
        "an alias is wrong",
        "An alias `*name` needs its anchor `&name` before it, and may not contain itself.",
    ),
    ENCODING: Code("the file is not UTF-8", "Source files are UTF-8 text without control characters."),
    DOCUMENTS: Code(
        "the file has several documents", "A `---` inside the file starts a second document; XCE reads one."
    ),
    UNKNOWN_FILE: Code(
        "the file is none of XCE's",
        "The configuration folder may hold the files of the manual, `presets/`, and what does not end in "
        "`.yaml` or `.yml`. Another YAML file there would be ignored, and is most likely a misspelt name.",
    ),
    UNREADABLE: Code("the file cannot be read", "The operating system refused to open or read the file."),
    UNKNOWN_KEY: Code("the key does not exist", "XCE knows no such key here. Keys are never ignored."),
    WRONG_TYPE: Code("the value has another type", "The key takes a value of another kind than the one found."),
    MISSING_KEY: Code("a key is missing", "The entry cannot be understood without this key."),
    BAD_SIZE: Code(
        "the text is no size",
        "Sizes are numbers with a unit: `512M`, `4G`, `1T` (powers of 1024). A bare number is refused unless "
        "`memory_unit` in xce.yaml says how to read it.",
    ),
    BAD_DURATION: Code("the text is no duration", "Durations are numbers with a unit: `90s`, `15m`, `8h`, `7d`."),
    BAD_NAME: Code(
        "the text is no name",
        "Names are letters, digits, `.`, `_` and `-`, at most 64, and start with a letter or digit.",
    ),
    BAD_CHOICE: Code("the value is none of the allowed ones", "The key takes one of a few words."),
    OUT_OF_RANGE: Code("the number is out of range", "The key takes numbers within bounds that the message names."),
    REPEATED: Code("a name is defined or listed twice", "Each name may be defined once, and listed once in a list."),
    MISPLACED: Code(
        "the key belongs elsewhere",
        "A queue is scheduling policy. What an application needs, and how it runs, stands in its profile.",
    ),
    EMPTY: Code("the value is empty", "A key without a value says nothing. Remove the key, or write the value."),
    NO_QUEUE: Code("the queue is not defined", "An undefined name is an error, never a fallback."),
    NO_PROFILE: Code("the profile is not defined", "An undefined name is an error, never a fallback."),
    NO_RESOURCE: Code(
        "the resource is not defined",
        "A resource is built in (`mem`, `slots`, `ncpus`, ...) or declared in resources.yaml.",
    ),
    NO_HOST: Code("the host or host group is not defined", "Hosts and host groups are declared in hosts.yaml."),
    NO_GROUP: Code("the user group is not defined", "User groups are declared in users.yaml; `@all` is everybody."),
    NO_PROJECT: Code("the project is not defined", "Projects are declared in projects.yaml."),
    NO_LIMIT: Code("the limit is not defined", "Limits are those of the manual's table, such as `run_time`."),
    BAD_RANGE: Code("a range counts down", "The lower end of a range may not be above its upper end."),
    BAD_RESREQ: Code(
        "the resource requirement is wrong",
        "The text does not follow the grammar of resource requirements, names what does not exist, or "
        "compares a string with a number. See xce-resreq(7).",
    ),
    COLLISION: Code(
        "two names become one variable",
        "Params and annotations are exported to the job in upper-case, with `_` for what is no letter or "
        "digit. Two names of one profile that become the same variable would overwrite each other.",
    ),
    RESERVED: Code("the name is reserved", "`XCE_*` variables are set by XCE itself, and cannot be given."),
    DEFAULT_PROFILE: Code(
        "not for the profile `default`",
        "Every job that names no profile gets `default`: it may not be restricted to users, be a service, or "
        "require a param.",
    ),
    CONTRADICTION: Code("two settings contradict each other", "Both cannot be obeyed at once."),
    BAD_VALUE: Code("the text cannot be carried", "Values are UTF-8 without NUL and newline, at most 4 KiB each."),
    BAD_LIMIT: Code("the limit has no meaning", "A limit is above 0. Leave it out for no limit."),
    BUILTIN: Code("the name is built in", "A declared resource may not have the name of a built-in one."),
    WRONG_LAYER: Code(
        "the resource is of another kind",
        "Counters are reserved and have amounts; attributes are facts that are selected and compared.",
    ),
    SECRET_NAME: Code(
        "the name looks like a secret",
        "Profiles are read by every user. Keep secrets in files that only the job's user can read.",
    ),
    SECRET_VALUE: Code(
        "the value looks like a secret",
        "Profiles are read by every user. The value has the shape of a private key, a cloud key, a token or"
        " a URL with a password.",
    ),
    NO_HOST_MATCHES: Code("no declared host matches", "No host of hosts.yaml fulfils the profile's select."),
    NO_QUEUE_RUNS: Code("no queue could run the profile", "Every queue's ceilings are below what the profile needs."),
    NEVER_TRUE: Code("the select is never true", "It asks for two values of one attribute at once."),
}
