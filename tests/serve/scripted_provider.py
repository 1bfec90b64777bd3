"""A scripted OpenID provider on loopback, which does as it is told: also what a provider must never do."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey


@dataclass
class Script:
    """What it says. `claims` and `header` come over what is right; `description` likewise."""

    claims: dict[str, Any] = field(default_factory=dict)
    user_info: dict[str, Any] = field(default_factory=dict)
    description: dict[str, Any] = field(default_factory=dict)
    fault: str = ""
    key: Any = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one", "use": "sig"}))
    told_keys: list[Any] = field(default_factory=list)
    issuer: str = ""
    asked: list[str] = field(default_factory=list)
    flows: dict[str, dict[str, str]] = field(default_factory=dict)

    def approve(self, address: str) -> str:
        """Sign somebody in who was sent here by an address; returns the address that leads back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256", asked
        code = f"code{len(self.flows)}"
        self.flows[code] = asked
        return f"{asked['redirect_uri']}?code={code}&state={asked['state']}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any]:
        flow = self.flows.pop(form["code"], None)
        challenge = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        if flow is None or challenge != flow["code_challenge"] or form["redirect_uri"] != flow["redirect_uri"]:
            return {"error": "invalid_grant"}
        if authorization != "Basic cm92ZTpnZWhlaW0=":  # rove:geheim
            return {"error": "invalid_client"}
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": "rove", "sub": "s1", "exp": now + 60, "iat": now, "nonce": flow["nonce"],
            "preferred_username": "ada", "name": "Ada Lovelace", **self.claims,
        }  # fmt: skip
        claims = {name: value for name, value in claims.items() if value is not None}
        if self.fault == "unsigned":
            parts = ({"alg": "none"}, claims)
            encoded = [urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
            id_token = ".".join([*encoded, ""])
        elif self.fault == "hmac":  # with the public key as the secret
            secret = OctKey.import_key(self.key.as_pem(private=False))
            id_token = jwt.encode({"alg": "HS256", "kid": "one"}, claims, secret)
        else:
            id_token = jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)
        return {"access_token": "at", "token_type": "Bearer", "expires_in": 60, "id_token": id_token}

    def page(self, path: str) -> tuple[int, Any]:
        """What it replies to a GET."""
        faults: dict[str, tuple[int, Any]] = {"down": (503, {}), "redirect": (302, {}), "nonsense": (200, ["not so"])}
        at = self.issuer
        pages = {
            "/.well-known/openid-configuration": {
                "issuer": at, "authorization_endpoint": f"{at}/authorize", "token_endpoint": f"{at}/token",
                "jwks_uri": f"{at}/keys", "userinfo_endpoint": f"{at}/userinfo", **self.description,
            },
            "/keys": {"keys": [one.as_dict(private=False) for one in self.told_keys or [self.key]]},
            "/userinfo": {"sub": "s1", **self.user_info},
        }  # fmt: skip
        if self.fault == "huge":
            pages["/keys"] = {"keys": [{"x": "x" * 2_000_000}]}
        return faults.get(self.fault) or ((200, pages[path]) if path in pages else (404, {}))


class Handler(BaseHTTPRequestHandler):
    """Speaks for a script."""

    script: Script

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.script.asked.append(path)
        self.reply(*self.script.page(path))

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["content-length"])).decode()
        form = {name: values[0] for name, values in parse_qs(text).items()}
        told = self.script.token(form, self.headers.get("authorization", ""))
        self.reply(400 if "error" in told else 200, told)

    def reply(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        headers = {"content-type": "application/json", "content-length": str(len(body))}
        for name, one in {**headers, **({"location": "http://127.0.0.1:9/"} if status == 302 else {})}.items():
            self.send_header(name, one)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def scripted_provider() -> Iterator[Script]:
    """Run one."""
    script = Script()
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Scripted", (Handler,), {"script": script})) as server:
        script.issuer = f"http://127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()
