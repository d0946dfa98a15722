"""Endpoints over the API: made, looked at, changed, their secrets, their log; each answer as documented."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from tables import commands
from tables.messages import Closed
from tables.models import WebhookDelivery, WebhookEndpoint
from tables.webhooks import delivering
from tests.api.contract import Api, committed
from tests.api.test_problems import MISSING, is_problem
from tests.webhooks.receiver import Receiver

ENDPOINTS = "/v1/me/webhook-endpoints"
URL = "https://bot.example.net/hook"


@pytest.fixture
def player(new_player: Callable[..., Api], receiver: Receiver) -> Api:
    """Somebody with no endpoint yet; those made are gone afterwards."""
    return new_player()


def test_an_endpoint_from_its_making_to_its_end(player: Api) -> None:
    made = player.post(ENDPOINTS, {"url": URL, "label": "my bot"})
    assert made.status_code == 201
    secret, endpoint = made.json()["secret"], made.json()["endpoint"]
    assert secret.startswith("whsec_")
    path = f"{ENDPOINTS}/{endpoint['id']}"
    assert made.headers["Location"] == path
    assert made.headers["Cache-Control"] == "no-store"
    assert endpoint["types"] == ["turn.awaited", "table.started", "table.finished", "table.closed"]
    assert (endpoint["status"], endpoint["reason"], endpoint["url"]) == ("unverified", None, URL)
    assert player.get(path).json() == endpoint
    assert player.get(ENDPOINTS).json() == {"items": [endpoint]}
    assert secret not in player.get(ENDPOINTS).text

    changed = player.patch(path, {"types": ["table.changed", "turn.awaited"], "label": ""}).json()
    assert (changed["types"], changed["label"]) == (["turn.awaited", "table.changed"], "")
    assert player.patch(path, {}).json() == changed
    assert player.patch(path, {"enabled": False}).json()["reason"] == "owner"
    assert player.patch(path, {"enabled": True}).json()["status"] == "unverified"

    rotated = player.post(f"{path}/rotate-secret")
    assert rotated.status_code == 200
    assert rotated.json()["secret"] != secret
    assert rotated.json()["endpoint"]["old_secret_until"] is not None

    assert player.delete(path).status_code == 204
    is_problem(player.get(path), 404, "not_found")
    assert player.get(ENDPOINTS).json() == {"items": []}


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({}, "#/url", "missing_field"),
        ({"url": "http://bot.example.net/"}, "#/url", "bad_url"),
        ({"url": "https://10.0.0.1/"}, "#/url", "bad_url"),
        ({"url": "https://bot.example.net:9000/"}, "#/url", "bad_url"),
        ({"url": "https://me:secret@bot.example.net/"}, "#/url", "bad_url"),
        ({"url": f"https://bot.example.net/{'x' * 500}"}, "#/url", "bad_length"),
        ({"url": URL, "types": []}, "#/types", "bad_length"),
        ({"url": URL, "types": ["table.move_played"]}, "#/types/0", "unknown_value"),
        ({"url": URL, "status": "active"}, "#/status", "unknown_field"),
    ],
)
def test_an_endpoint_that_cannot_be(player: Api, body: dict[str, object], pointer: str, code: str) -> None:
    is_problem(player.post(ENDPOINTS, body), 400, "bad_request", (pointer, code))
    assert player.get(ENDPOINTS).json() == {"items": []}
    if "url" in body:
        path = f"{ENDPOINTS}/{player.post(ENDPOINTS, {'url': URL}).json()['endpoint']['id']}"
        is_problem(player.patch(path, body), 400, "bad_request", (pointer, code))


def test_a_refusal_speaks_spanish(player: Api) -> None:
    answer = player.post(ENDPOINTS, {"url": "http://x"}, headers={"Accept-Language": "es"})
    assert answer.json()["errors"][0]["detail"].startswith("Los webhooks van por https")


def test_a_request_that_is_sent_again_gets_the_same_secret(player: Api) -> None:
    """Of which the database keeps none."""
    key = {"Idempotency-Key": "one"}
    first = player.post(ENDPOINTS, {"url": URL}, headers=key)
    again = player.post(ENDPOINTS, {"url": URL}, headers=key)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(player.get(ENDPOINTS).json()["items"]) == 1
    is_problem(player.post(ENDPOINTS, {"url": URL + "2"}, headers=key), 422, "idempotency_key_reused")

    path = f"{ENDPOINTS}/{first.json()['endpoint']['id']}/rotate-secret"
    rotated = [player.post(path, headers=key).json() for _ in range(2)]
    assert rotated[0] == rotated[1]
    assert player.post(path).json()["secret"] != rotated[0]["secret"]
    assert player.post(path, headers=key).json() == rotated[0]


def test_a_player_has_five_endpoints_at_most(player: Api) -> None:
    for _ in range(5):
        assert player.post(ENDPOINTS, {"url": URL}).status_code == 201
    answer = player.post(ENDPOINTS, {"url": URL})
    is_problem(answer, 409, "too_many_webhooks")
    assert answer.json()["facts"] == {"most": 5}


def test_the_endpoints_of_others_are_not_there(player: Api, new_player: Callable[..., Api]) -> None:
    endpoint = player.post(ENDPOINTS, {"url": URL}).json()["endpoint"]["id"]
    delivery = WebhookDelivery.objects.get(endpoint=endpoint).message
    other = new_player()
    own = other.post(ENDPOINTS, {"url": URL}).json()["endpoint"]["id"]
    for each in (endpoint, MISSING):
        path = f"{ENDPOINTS}/{each}"
        is_problem(other.get(path), 404, "not_found")
        is_problem(other.patch(path, {"label": "mine"}), 404, "not_found")
        is_problem(other.delete(path), 404, "not_found")
        is_problem(other.post(f"{path}/rotate-secret"), 404, "not_found")
        is_problem(other.get(f"{path}/deliveries"), 404, "not_found")
        is_problem(other.post(f"{path}/deliveries/{delivery}/redeliver"), 404, "not_found")
    is_problem(other.post(f"{ENDPOINTS}/{own}/deliveries/{delivery}/redeliver"), 404, "not_found")
    stranger = Api(player.base_url)
    is_problem(stranger.get(ENDPOINTS), 401, "unauthenticated")
    is_problem(stranger.post(ENDPOINTS, {"url": URL}), 401, "unauthenticated")


def test_the_log_of_an_endpoint_by_pages_and_one_of_it_once_more(player: Api, receiver: Receiver) -> None:
    endpoint = player.post(ENDPOINTS, {"url": receiver.url()}).json()["endpoint"]["id"]
    path = f"{ENDPOINTS}/{endpoint}/deliveries"
    (asked,) = player.get(path).json()["items"]
    assert (asked["type"], asked["table_id"], asked["position"]) == ("endpoint.challenge", None, None)
    is_problem(player.post(f"{path}/{asked['id']}/redeliver"), 409, "webhook_pending")
    delivering.deliver()
    (asked,) = player.get(path).json()["items"]
    assert (asked["status"], asked["response_status"], asked["attempts"]) == ("delivered", 200, 1)
    assert asked["duration_ms"] >= 0
    assert player.get(f"{ENDPOINTS}/{endpoint}").json()["status"] == "active"
    is_problem(player.post(f"{path}/{asked['id']}/redeliver"), 409, "webhook_verified")
    for _ in range(2):
        assert player.post("/v1/tables", {"game": "reafan", "bots": ["random"]}).status_code == 201
    delivering.deliver()

    everything = player.get(path).json()["items"]
    assert everything[-1] == asked
    assert {each["type"] for each in everything[:-1]} == {"table.started", "turn.awaited"}
    assert {each["status"] for each in everything} == {"delivered"}
    pages, cursor = [], ""
    while cursor is not None:
        page = player.get(f"{path}?limit=2{cursor and '&cursor=' + cursor}").json()
        pages += page["items"]
        cursor = page["next_cursor"]
    assert pages == everything
    back = player.get(f"{path}?limit=2&cursor={page['previous_cursor']}").json()
    assert back["items"] == everything[-3:-1] if len(everything) % 2 else everything[-4:-2]
    is_problem(player.get(f"{path}?cursor=bm9uc2Vuc2U"), 400, "bad_request", ("?cursor", "bad_format"))

    again = player.post(f"{path}/{everything[0]['id']}/redeliver", headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["status"]) == (200, "pending")
    assert player.post(
        f"{path}/{everything[0]['id']}/redeliver", headers={"Idempotency-Key": "k"}
    ).json() == (again.json())
    before = len(receiver.at())
    delivering.deliver()
    assert [each.id for each in receiver.at()[before:]] == [everything[0]["id"]]


def test_what_is_sent_is_as_documented(player: Api, receiver: Receiver) -> None:
    """The document's ``webhooks`` tell every request, its headers and its body."""
    types = list(committed().content["webhooks"])
    asked = [each for each in types if each != "endpoint.challenge"]
    player.post(ENDPOINTS, {"url": receiver.url(), "types": asked})
    delivering.deliver()
    table = player.post("/v1/tables", {"game": "reafan", "bots": ["random"]}).json()["id"]
    assert player.post(f"/v1/tables/{table}/resign").status_code == 200
    lonely = player.post("/v1/tables", {"game": "reafan"}).json()["id"]
    with commands.locked(uuid.UUID(lonely)) as host:
        host.add(Closed(reason="expired"))
    delivering.deliver()

    assert {each.type for each in receiver.got} == set(types)
    for each in receiver.got:
        told = committed().content["webhooks"][each.type]["post"]
        content = told["requestBody"]["content"]["application/json"]
        assert not list(committed().validator(content["schema"]).iter_errors(each.told))
        assert {header["name"] for header in told["parameters"]} <= each.headers.keys()


def test_no_path_has_the_tag_of_the_webhooks() -> None:
    """api.md 2.1: generators of clients lose every operation of such a tag."""
    document = committed().content
    tags = {tag for told in document["webhooks"].values() for tag in told["post"]["tags"]}
    assert tags == {"webhooks"}
    of_paths = {tag for path in document["paths"].values() for told in path.values() for tag in told["tags"]}
    assert not tags & of_paths
    assert tags | of_paths == {each["name"] for each in document["tags"]}
    for told in document["webhooks"].values():
        assert told["post"]["security"] == []
        (example,) = told["post"]["requestBody"]["content"]["application/json"]["examples"].values()
        schema = told["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert not list(committed().validator(schema).iter_errors(example["value"]))


def test_who_is_erased_leaves_no_endpoint_behind(player: Api, receiver: Receiver) -> None:
    made = player.post(ENDPOINTS, {"url": receiver.url()}).json()["endpoint"]["id"]
    assert WebhookDelivery.objects.filter(endpoint=made).exists()
    assert player.send("DELETE", "/v1/me", {"password": "a long enough password"}).status_code == 204
    assert not WebhookEndpoint.objects.filter(id=uuid.UUID(made)).exists()
    assert not WebhookDelivery.objects.filter(endpoint=made).exists()
