"""Reading requests: bounded, strict, and refused in words that name the place."""

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from starlette.requests import Request

from xcelib import wire
from xcelib.errors import TooLarge, XceError
from xcelib.jobspec import Exdata, JobSpec
from xceserver.api.requests import check_query, decode, idempotency_key, query_choice, query_int, read_body

SPEC = msgspec.json.Decoder(JobSpec)
BULK = msgspec.json.Decoder(wire.BulkRequest)
ACTION = msgspec.json.Decoder(wire.ActionRequest)


def a_request(query: str = "", *, chunks: tuple[bytes, ...] = (), **headers: str) -> Request:
    """A request as the server hands it on; its body comes in pieces."""
    left: Iterator[bytes] = iter(chunks)

    async def receive() -> dict[str, Any]:
        piece = next(left, None)
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": query.encode(), "headers": raw}
    return Request(scope, receive)


# --- the body ---------------------------------------------------------------------------------------------------------


def test_a_body_is_read_in_pieces() -> None:
    assert asyncio.run(read_body(a_request(chunks=(b"ab", b"", b"c")), limit=3)) == b"abc"


def test_a_body_that_says_it_is_too_large_is_refused_unread() -> None:
    with pytest.raises(TooLarge) as caught:
        asyncio.run(read_body(a_request(content_length="4"), limit=3))
    assert (caught.value.message, caught.value.http_status) == ("the body is larger than 3 bytes", 413)


@pytest.mark.parametrize("declared", [{}, {"content_length": "1"}, {"content_length": "many"}])
def test_a_body_that_grows_too_large_is_refused_whatever_it_says(declared: dict[str, str]) -> None:
    with pytest.raises(TooLarge):
        asyncio.run(read_body(a_request(chunks=(b"ab", b"cd"), **declared), limit=3))


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ('{"nmae": "x"}', "/nmae", "the field `nmae` does not exist"),
        ('{"tasks": {"mim": 1}}', "/tasks/mim", "the field `mim` does not exist"),
        ('{"exdata": {"envv": {}}}', "/exdata/envv", "the field `envv` does not exist"),
        ('{"zzz\\u001b[2J": 1}', "/zzz\\x1b[2J", "the field `zzz\\x1b[2J` does not exist"),
        ('{"zzz\\n": 1}', "/zzz\\n", "the field `zzz\\n` does not exist"),
        ('{"priority": 101}', "/priority", "expected `int` <= 100"),
        ('{"priority": 5.5}', "/priority", "expected `int`, got `float`"),
        ('{"priority": "5"}', "/priority", "expected `int`, got `str`"),
        ('{"hold": 1}', "/hold", "expected `bool`, got `int`"),
        ('{"command": "sleep 1"}', "/command", "expected `array`, got `str`"),
        ('{"command": ["a", 1]}', "/command/1", "expected `str`, got `int`"),
        ('{"launch": "task"}', "/launch", "invalid enum value 'task'"),
        ('{"array": {"ranges": [[0, 2, 1]]}}', "/array/ranges/0/0", "expected `int` >= 1"),
        ('{"array": {"ranges": [[1, 2]]}}', "/array/ranges/0", "expected `array` of length 3"),
        ('{"labels": {"' + "k" * 257 + '": ""}}', "/labels", "expected `str` of length <= 256"),
        ('{"exdata": {"env": {"A": 5}}}', "/exdata/env", "expected `str`, got `int`"),
        ('{"begin": 1e999}', "/begin", "number out of range"),
        ("[]", "", "expected `object`, got `array`"),
        ("5", "", "expected `object`, got `int`"),
        ("null", "", "expected `object`, got `null`"),
    ],
)
def test_a_wrong_field_is_refused_with_its_pointer(body: str, path: str, message: str) -> None:
    with pytest.raises(XceError) as caught:
        decode(body.encode(), SPEC)
    (fault,) = caught.value.faults
    assert (fault.path, fault.message) == (path, message)
    assert caught.value.message == f"{path or '/'}: {message}"
    assert caught.value.http_status == 400


@pytest.mark.parametrize(
    ("decoder", "body", "hint"),
    [
        (SPEC, '{"nmae": "x"}', "did you mean `name`?"),
        (SPEC, '{"tasks": {"mim": 1}}', "did you mean `min`?"),
        (SPEC, '{"exdata": {"envv": {}}}', "did you mean `env`?"),
        (BULK, '{"jobs": [{"command": ["a"]}, {"quue": "x"}]}', "did you mean `queue`?"),
        (BULK, '{"jobs": [{"exdata": {"limts": {}}}]}', "did you mean `limits`?"),
        (ACTION, '{"jobs": [{"idd": 1}]}', "did you mean `id`?"),
    ],
)
def test_the_nearest_field_of_that_place_is_told(decoder: msgspec.json.Decoder[Any], body: str, hint: str) -> None:
    with pytest.raises(XceError) as caught:
        decode(body.encode(), decoder)
    assert caught.value.hints == (hint,)
    assert caught.value.faults[0].hint == hint


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "bad_json"),
        (b"{", "bad_json"),
        (b'{"name": "x"} {}', "bad_json"),
        (b'{"begin": NaN}', "bad_json"),
        (b'{"begin": Infinity}', "bad_json"),
        (b"{'name': 'x'}", "bad_json"),
        (b'{"name": "\xff"}', "bad_json"),
        (b'{"name": "\\ud800"}', "bad_json"),
        (b"\xff\xfe{\x00}\x00", "bad_json"),
        (b'{"exdata": {"meta": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}}", "too_deep"),
        (b'{"exdata": {"meta": ' + b'{"a":' * 50_000, "too_deep"),
    ],
)
def test_what_is_no_json_is_refused(body: bytes, code: str) -> None:
    with pytest.raises(XceError) as caught:
        decode(body, SPEC)
    assert (caught.value.code, caught.value.http_status) == (code, 400)


@pytest.mark.parametrize("field", JobSpec.__struct_fields__)
def test_no_field_takes_any_value(field: str) -> None:
    for wrong in ({"a": {"b": [1]}}, [[[1]]], -1.5):
        with pytest.raises(XceError):
            decode(msgspec.json.encode({field: wrong}), SPEC)


def test_what_is_right_is_read() -> None:
    spec = JobSpec(command=("a", "ü"), name="n", exdata=Exdata(meta={"x": [1, None]}))
    assert decode(msgspec.json.encode(spec), SPEC) == spec


# --- the query --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "message", "hints"),
    [
        ("quue=x", "the query parameter `quue` does not exist", ("did you mean `queue`?",)),
        ("zzz=1&queue=x", "the query parameter `zzz` does not exist", ()),
        ("queue=a&queue=b", "the query parameter `queue` is given twice", ()),
        ("%1b=x", "the query parameter `\\x1b` does not exist", ()),
        ("=x", "the query parameter `` does not exist", ()),
    ],
)
def test_a_parameter_that_means_nothing_is_refused(query: str, message: str, hints: tuple[str, ...]) -> None:
    with pytest.raises(XceError) as caught:
        check_query(a_request(query), ("queue", "limit"))
    assert (caught.value.message, caught.value.hints) == (message, hints)


def test_known_parameters_pass() -> None:
    check_query(a_request("queue=a&limit=5"), ("queue", "limit"))
    check_query(a_request(), ())
    assert query_int(a_request(), "limit", 7, least=1, most=9) == 7
    assert query_int(a_request("limit=9"), "limit", 7, least=1, most=9) == 9
    assert query_int(a_request("limit=-3"), "limit", None, least=-5, most=9) == -3
    assert query_choice(a_request(), "scope", ("live", "both"), "live") == "live"
    assert query_choice(a_request("scope=both"), "scope", ("live", "both"), "live") == "both"


@pytest.mark.parametrize("text", ["0", "10", "-1", "--1", "1.5", "x", "", "１", "9" * 30, "1_0", "+1", "%1b"])
def test_a_number_out_of_its_bounds_is_refused(text: str) -> None:
    with pytest.raises(XceError) as caught:
        query_int(a_request(f"limit={text}"), "limit", 5, least=1, most=9)
    assert caught.value.message.startswith("`limit` is a whole number from 1 to 9, not `")
    assert caught.value.message.isprintable()


def test_another_choice_is_refused() -> None:
    with pytest.raises(XceError) as caught:
        query_choice(a_request("scope=all"), "scope", ("live", "both"), "live")
    assert caught.value.message == "`scope` is one of live, both, not `all`"


# --- the key ----------------------------------------------------------------------------------------------------------


def test_a_key_is_scoped_by_its_user() -> None:
    assert idempotency_key(a_request(idempotency_key="abc"), uid=7) == "7:abc"
    assert idempotency_key(a_request(), uid=7) == ""
    assert idempotency_key(a_request(idempotency_key="x" * 128), uid=7) == "7:" + "x" * 128


@pytest.mark.parametrize("key", ["x" * 129, "a b", "a\tb", "ü", "\x7f"])
def test_a_key_of_other_letters_is_refused(key: str) -> None:
    with pytest.raises(XceError) as caught:
        idempotency_key(a_request(idempotency_key=key), uid=7)
    assert caught.value.code == "bad_idempotency_key"
