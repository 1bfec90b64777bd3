"""An OpenID provider: where a browser is sent to, and who comes back, by an ID token that is checked.

Authorization code with PKCE, state and nonce. What a provider replies is bounded in time and size, and signed by one of
its keys with an asymmetric algorithm.
"""

from __future__ import annotations

import asyncio
import os
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from time import monotonic
from typing import Any, cast
from urllib.parse import urlsplit

from rove.errors import ServiceError
from rove.foreign import read_json
from rove.models.bounded import bounds
from rove.models.endpoint import certificates
from rove.proxies import proxy_for
from rove.registry import load
from rove.settings import OpenIdSettings
from rove.settings.openid import LOOPBACK

TIMEOUT_S = 10.0
REPLY_MB = 1
KEPT_S, LEAST_S = 3600.0, 30.0
"""So long a provider's description and its keys are kept, and at least so long before an unknown key is looked for."""
LEEWAY_S = 60
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA")
NO_TOKEN, UNREACHED, NO_SENSE = "gave no token", "cannot be reached", "does not say what it should"
UNKNOWN_KEY, NOT_HELD, NOBODY = (
    "has signed with a key that it does not tell of", "sent a token that does not hold", "does not say who it is",
)  # fmt: skip
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
Claims = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Flow:
    """One sign-in on its way to a provider and back. All that has to be remembered is `secret`, in a cookie."""

    provider: str
    secret: str

    @classmethod
    def begin(cls, provider: str) -> Flow:
        """Begin one."""
        return cls(provider, token_urlsafe(32))

    def word(self, use: str) -> str:
        """A word that only who has the secret can know, another one for each use: "state", "nonce", "verifier"."""
        made = sha256(f"{use}:{self.provider}:{self.secret}".encode()).digest()
        return urlsafe_b64encode(made).decode().rstrip("=")

    def came_back(self, state: str) -> bool:
        """Whether a state is this one's."""
        return bool(self.secret) and compare_digest(self.word("state").encode(), state.encode("utf-8", "replace"))


class OpenIdProvider:
    """A provider that the settings name.

    Raises:
        ServiceError: it cannot be reached, or what it says does not hold.
    """

    def __init__(self, name: str, settings: OpenIdSettings) -> None:
        self.name = name
        self.settings = settings
        self._described: tuple[dict[str, Any], float] = {}, -KEPT_S
        self._keys: tuple[dict[str, Any], float] = {}, -KEPT_S
        self._looking = asyncio.Lock()

    async def address(self, flow: Flow, redirect_uri: str) -> str:
        """Where a browser is sent to."""
        described = await self._description()
        async with self._client(redirect_uri) as client:
            url, _ = client.create_authorization_url(
                described["authorization_endpoint"],
                state=flow.word("state"),
                nonce=flow.word("nonce"),
                code_verifier=flow.word("verifier"),
            )
        return str(url)

    async def claims(self, flow: Flow, code: str, redirect_uri: str) -> Claims:
        """Who has come back with a code: the claims of the ID token, and those that only the provider's API tells."""
        described = await self._description()
        try:
            async with asyncio.timeout(TIMEOUT_S), self._client(redirect_uri) as client:
                token = await client.fetch_token(
                    described["token_endpoint"],
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=flow.word("verifier"),
                )
        except _faults() as error:
            raise self._failed(NO_TOKEN, error) from error
        access_token, id_token = (str(token.get(name) or "") for name in ("access_token", "id_token"))
        claims = await self._checked(id_token, access_token, flow)
        if not self._lacks(claims):
            return claims
        told = await self._user_info(described, access_token)
        return {**told, **claims} if told.get("sub") == claims["sub"] else claims

    # -- inside ----------------------------------------------------------------------------------------------------

    def _client(self, redirect_uri: str = "") -> Any:  # noqa: ANN401 - Authlib has no types
        secret = os.environ.get(self.settings.client_secret_env, "") if self.settings.client_secret_env else None
        return load("authlib.integrations.httpx_client:AsyncOAuth2Client")(
            self.settings.client_id,
            secret,
            scope=" ".join(self.settings.scopes),
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            timeout=TIMEOUT_S,
            follow_redirects=False,
            trust_env=False,
            proxy=proxy_for(self.settings.issuer),
            verify=certificates(),
            headers={"Accept": "application/json", "Accept-Encoding": "identity"},
            event_hooks=bounds(self.settings.issuer, f"serve.oidc.{self.name}", reply_mb=REPLY_MB),
        )

    async def _get(self, url: str, **headers: str) -> dict[str, Any]:
        self._check_url(url)
        try:
            async with asyncio.timeout(TIMEOUT_S), self._client() as client:
                reply = await client.request("GET", url, withhold_token=True, headers=headers)
                reply.raise_for_status()
                found = read_json(reply.content)
        except _faults() as error:
            raise self._failed(UNREACHED, error) from error
        if not isinstance(found, dict):
            raise self._failed(NO_SENSE)
        return cast("dict[str, Any]", found)

    async def _description(self) -> dict[str, Any]:
        async with self._looking:
            if monotonic() - self._described[1] > KEPT_S:
                found = await self._get(f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration")
                if found.get("issuer") != self.settings.issuer:
                    what = f"calls itself {str(found.get('issuer'))[:200]!r}"
                    raise self._failed(what)
                for endpoint in ENDPOINTS:
                    self._check_url(str(found.get(endpoint) or ""))
                self._described = found, monotonic()
            return self._described[0]

    async def _jwks(self, older_s: float) -> dict[str, Any]:
        described = await self._description()
        async with self._looking:
            if monotonic() - self._keys[1] > older_s:
                self._keys = await self._get(described["jwks_uri"]), monotonic()
            return self._keys[0]

    async def _checked(self, id_token: str, access_token: str, flow: Flow) -> Claims:
        """Check an ID token as OpenID Connect Core 3.1.3.7 has it."""
        decoded = self._decoded(id_token, await self._jwks(KEPT_S))
        decoded = decoded or self._decoded(id_token, await self._jwks(LEAST_S))  # keys are changed now and then
        if decoded is None:
            raise self._failed(UNKNOWN_KEY)
        nonce, client_id = flow.word("nonce"), self.settings.client_id
        options = {
            "iss": {"essential": True, "value": self.settings.issuer},
            "aud": {"essential": True, "value": client_id},
        }
        params = {"nonce": nonce, "client_id": client_id, "access_token": access_token}
        try:
            found = load("authlib.oidc.core:CodeIDToken")(decoded.claims, decoded.header, options, params)
            found.validate(leeway=LEEWAY_S)
        except _faults() as error:
            raise self._failed(NOT_HELD, error) from error
        claims = cast("Claims", dict(decoded.claims))
        if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
            raise self._failed(NOBODY)
        return claims

    def _decoded(self, id_token: str, jwks: dict[str, Any]) -> Any:  # noqa: ANN401 - joserfc's
        """Verify the signature; None where the key is not among these."""
        try:
            keys = load("joserfc.jwk:KeySet").import_key_set(jwks)
            registry = load("joserfc.jws:JWSRegistry")(algorithms=list(ALGORITHMS), strict_check_header=False)
            return load("joserfc.jwt:decode")(id_token, keys, registry=registry)
        except load("joserfc.errors:InvalidKeyIdError"):
            return None
        except _faults() as error:
            raise self._failed(NOT_HELD, error) from error

    def _lacks(self, claims: Claims) -> bool:
        """Whether a claim that is wanted is not in the ID token."""
        wanted = (self.settings.name_claim, self.settings.role_claim, self.settings.labels_claim)
        return any(name.split(".")[0] not in claims for name in wanted if name)

    async def _user_info(self, described: Mapping[str, Any], access_token: str) -> Claims:
        url = str(described.get("userinfo_endpoint") or "")
        return await self._get(url, Authorization=f"Bearer {access_token}") if url else {}

    def _check_url(self, url: str) -> None:
        """An address of the provider has to be reached by https, but on this machine."""
        parts = urlsplit(url)
        here = parts.hostname in LOOPBACK and urlsplit(self.settings.issuer).hostname in LOOPBACK
        if not (parts.scheme == "https" or (parts.scheme == "http" and here)):
            what = f"names the address {url[:200]!r}"
            raise self._failed(what)

    def _failed(self, what: str, error: Exception | None = None) -> ServiceError:
        said = f": {error or type(error).__name__}" if error else ""
        message = f"The OpenID provider {self.name!r} {what}{said}."
        return ServiceError(message, cure=f"See serve.oidc.{self.name}, and whether it is up.", retryable=False)


def _faults() -> tuple[type[Exception], ...]:
    """What is raised where a provider cannot be reached, or says what does not hold."""
    classes = (
        "httpx2:HTTPError",
        "httpx2:InvalidURL",
        "authlib.common.errors:AuthlibBaseError",
        "joserfc.errors:JoseError",
    )
    return (*map(load, classes), TimeoutError, ValueError, KeyError, ServiceError)
