"""Which addresses are the public Internet's."""

import pytest

from motherlode.fetch.dns.addresses import is_public

INSIDE = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "168.63.129.16",
    "192.0.0.192",
    "100.100.100.200",
    "::ffff:168.63.129.16",
    "64:ff9b::a83f:8110",
    "64:ff9b:1::808:808",
    "64:ff9b:1:0:7f:0:100:808",
    "100.64.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.9",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "fec0::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "2002:c0a8:101::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "localhost",
    "127.1",
    "2130706433",
]
OUTSIDE = [
    "93.184.216.34",
    "8.8.8.8",
    "172.32.0.1",
    "1.1.1.1",
    "2606:4700::1111",
    "2a00:1450:4001::200e",
    "64:ff9b::808:808",
]


@pytest.mark.parametrize("address", [*INSIDE, "", "not an address", "1.2.3.4.5"])
def test_nothing_inside_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_what_is_outside_is_public(address: str) -> None:
    assert is_public(address)
