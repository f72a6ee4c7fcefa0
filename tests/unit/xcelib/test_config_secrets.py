"""Which names and values look like secrets: the table of the specification, and its neighbours."""

import pytest

from xcelib.secrets import MASK, looks_secret_name, looks_secret_value, shown_value

SECRET_NAMES = [
    "PASSWORD",
    "DB_PASSWORD",
    "PASSWORD_FILE",
    "mypassword",
    "MYSQL_ROOT_PASSWORD",
    "PGPASSWORD",
    "password2",
    "X_PASSWD_X",
    "PASSWD",
    "PASSPHRASE",
    "GPG_PASSPHRASE",
    "SECRET",
    "CLIENT_SECRET",
    "SECRET_SAUCE",
    "aws_secret_access_key",
    "CREDENTIAL",
    "CREDENTIALS",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "APIKEY",
    "OPENAI_APIKEY",
    "API_KEY",
    "MY_API_KEY_2",
    "api-key",
    "api.key",
    "apiKey",
    "ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "PRIVATE_KEY",
    "SSH_PRIVATE_KEY_PATH",
    "TOKEN",
    "GITHUB_TOKEN",
    "hf.token",
    "TOKEN1",
    "ACCESS_TOKEN_2",
    "MYSQL_PWD",
    "db-pwd",
    "PASS",
    "DB_PASS",
    "pass",
    "ROOTPASS",
    "SSHPASS",
    "SSHPASS_FILE",
    "AUTH",
    "BASIC_AUTH",
    "proxy.auth",
    "KEY",
    "LICENCE_KEY",
    "license-key",
    "signing.key",
    "KEY3",
]

PLAIN_NAMES = [
    "PWD",
    "OLDPWD",
    "pwd",
    "MAX_TOKENS",
    "TOKENIZERS_PARALLELISM",
    "MONKEY_PATCH",
    "MONKEY",
    "SSH_AUTH_SOCK",
    "KEYBOARD",
    "KEYS",
    "PATH",
    "HOME",
    "LD_LIBRARY_PATH",
    "OMP_NUM_THREADS",
    "FLUENT_ARCH",
    "AUTHOR",
    "AUTHORITY",
    "KEYMAP",
    "PASSIVE",
    "PASSENGER",
    "COMPASS",
    "BYPASS_CACHE",
    "TOKENIZER_PATH",
    "KEY_FILE",
    "TOKEN_COUNT",
    "AUTH_URL",
    "portal.icon",
    "portal.family",
    "solver",
    "case",
    "TURKEY",
    "DONKEY_RIDE",
    "PWD_COPY",
    "PASSAGE_2",
    "A",
    "1",
    "_",
    "HOCKEY",
    "XAUTHORITY",
]

SECRET_VALUES = [
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----MIIE",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "-----BEGIN ENCRYPTED PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----",
    "AKIAIOSFODNN7EXAMPLE",
    "id=ASIAIOSFODNN7EXAMPLE;",
    "LTAI5tExampleExample1234",
    "AIza" + "Sy" + "x" * 33,
    "ghp_" + "a1" * 18,
    "glpat-" + "x" * 20,
    "xoxb-1234567890-abc",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.",
    "https://ann:hunter2@example.org/x",
    "postgresql://app:s3cret@db:5432/x",
    "amqp://:pw@broker",
]

PLAIN_VALUES = [
    "",
    "lnamd64",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    "AKIA",
    "XAKIAIOSFODNN7EXAMPLE",
    "AKIAIOSFODNN7EXAMPLEMORE",
    "eyJub3QiOiJhIGp3dCJ9",
    "a.b.c",
    "https://example.org/x:y@z",
    "https://ann@example.org",
    "https://example.org:8443/",
    "postgresql://app:$DB_PASSWORD@db/x",
    "12:30@noon",
    "27000@licence.example.org",
    "/opt/fluent/site/check-licence",
]


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_name_looks_secret(name: str) -> None:
    assert looks_secret_name(name)
    assert looks_secret_name(name.lower())


def test_the_humps_of_a_name_are_its_words() -> None:
    assert looks_secret_name("authToken")
    assert looks_secret_name("licenceKey")
    assert not looks_secret_name("keyMap")


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_a_name_looks_plain(name: str) -> None:
    assert not looks_secret_name(name)
    assert not looks_secret_name(name.lower())


@pytest.mark.parametrize("value", SECRET_VALUES)
def test_a_value_looks_secret(value: str) -> None:
    assert looks_secret_value(value)


@pytest.mark.parametrize("value", PLAIN_VALUES)
def test_a_value_looks_plain(value: str) -> None:
    assert not looks_secret_value(value)


def test_a_value_is_masked_by_its_name_or_its_shape() -> None:
    assert shown_value("DB_PASSWORD", "x") == MASK
    assert shown_value("URL", "https://a:b@c/") == MASK
    assert shown_value("ARCH", "lnamd64") == "lnamd64"


def test_a_long_hostile_value_is_judged_quickly() -> None:
    assert not looks_secret_value("a:" * 25_000)
    assert not looks_secret_value("eyJ" * 16_000)
    assert not looks_secret_value("-----BEGIN " + "A" * 50_000)
