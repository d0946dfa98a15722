"""security.md, "Webhook SSRF": what may be the URL of a webhook, and which addresses are ever called."""

from __future__ import annotations

import pytest

from tables.webhooks.targets import BadUrl, may_be_called, target_of

OWN = ("posta.example.org", ".posta.example")


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("https://bot.example.net/hook?key=1", "bot.example.net", 443),
        ("https://bot.example.net:8443", "bot.example.net", 8443),
        ("HTTPS://Bot.Example.NET:443/", "bot.example.net", 443),
        ("https://bücher.example/hook", "xn--bcher-kva.example", 443),
        ("https://bot.example.net./hook", "bot.example.net", 443),
    ],
)
def test_a_name_over_tls_is_taken(url: str, host: str, port: int) -> None:
    found = target_of(url, own=OWN)
    assert (found.host, found.port, found.is_local) == (host, port, False)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "bot.example.net",
        "//bot.example.net",
        "http://bot.example.net/",
        "ftp://bot.example.net/",
        "file:///etc/passwd",
        "gopher://bot.example.net/",
        "https://",
        "https:///hook",
        "https://bot.example.net:80/",
        "https://bot.example.net:22/",
        "https://bot.example.net:0/",
        "https://bot.example.net:99999/",
        "https://user@bot.example.net/",
        "https://user:secret@bot.example.net/",
        "https://bot.example.net@127.0.0.1/",
        "https://bot.example.net/#fragment",
        "https://bot.example.net/ hook",
        "https://bot.example.net/\nhook",
        "https://bot.example.net\\@127.0.0.1/",
        "https://localhost/",
        "https://bot.localhost/",
        "https://intranet/",
        "https://.example.net/",
        "https://bot..example.net/",
        f"https://{'a' * 64}.example.net/",
        f"https://{'a.' * 126}example/",
        "https://bot%00.example.net/",
        "https://*.example.net/",
        "https://posta.example.org/hook",
        "https://POSTA.example.org./hook",
        "https://posta.example/",
        "https://live.posta.example/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://192.0.2.1/",
        "https://8.8.8.8/",
        "https://8.8.8.8./",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[2606:4700:4700::1111]/",
        "http://127.0.0.1:8000/",
        "http://localhost/",
    ],
)
def test_anything_else_is_refused(url: str) -> None:
    with pytest.raises(BadUrl):
        target_of(url, own=OWN)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_development_reaches_its_own_machine(host: str) -> None:
    found = target_of(f"http://{host}:9000/hook", to_loopback=True)
    assert (found.port, found.is_local) == (9000, True)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.2/", "http://0.0.0.0/", "http://10.0.0.1/", "http://bot.example.net/"]
)
def test_and_no_other_by_http(url: str) -> None:
    with pytest.raises(BadUrl):
        target_of(url, to_loopback=True)


CLOSED = [
    "0.0.0.0",  # noqa: S104
    "0.1.2.3",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700:4700::1111%eth0",
    "fec0::1",
    "ff02::1",
    "localhost",
    "127.1",
    "",
]


@pytest.mark.parametrize("address", CLOSED)
def test_an_address_that_is_not_public_is_never_called(address: str) -> None:
    """faults.md F55."""
    assert not may_be_called(address, is_local=False)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "100.63.0.1", "2606:4700:4700::1111"])
def test_a_public_address_is(address: str) -> None:
    assert may_be_called(address, is_local=False)


@pytest.mark.parametrize("address", ["10.0.0.1", "169.254.169.254", "8.8.8.8", "fe80::1"])
def test_a_local_target_is_this_machine_alone(address: str) -> None:
    assert may_be_called("127.0.0.1", is_local=True)
    assert may_be_called("::1", is_local=True)
    assert not may_be_called(address, is_local=True)
