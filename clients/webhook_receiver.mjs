// SPDX-License-Identifier: MIT
// A receiver of webhooks: verifies each, answers the challenge, prints a line for what is new.
//
//     POSTA_WEBHOOK_SECRET=whsec_... node webhook_receiver.mjs 8080
//
// Behind a proxy that ends TLS, for a server sends to https alone, but in development.  Needs Node alone;
// the package `standardwebhooks` of npm verifies as well.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const MOST_BYTES = 65536;
const TOLERANCE = 300; // seconds
const key = Buffer.from(process.env.POSTA_WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
const seen = new Set(); // a bot that lives long keeps them in a database, for some days

function isGenuine(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= TOLERANCE)) return false;
  const wanted = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest();
  return signatures.split(" ").some((each) => {
    const [version, signature = ""] = each.split(",");
    const given = Buffer.from(signature, "base64");
    return version === "v1" && given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

async function bodyOf(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    parts.push(part);
    if ((size += part.length) > MOST_BYTES) throw new Error("too large");
  }
  return Buffer.concat(parts);
}

createServer(async (request, response) => {
  const body = await bodyOf(request).catch(() => null);
  if (body === null || !isGenuine(request.headers, body)) return response.writeHead(401).end();
  const told = JSON.parse(body);
  if (told.type === "endpoint.challenge") {
    response.writeHead(200, { "Content-Type": "application/json" });
    return response.end(JSON.stringify({ challenge: told.data.challenge }));
  }
  response.writeHead(204).end(); // at once: whatever takes longer is better done afterwards
  const id = request.headers["webhook-id"];
  if (!seen.has(id)) {
    seen.add(id); // it may come twice
    console.log(told.type, told.data.table_id, told.data.position);
  }
}).listen(Number(process.argv[2]), "127.0.0.1");
