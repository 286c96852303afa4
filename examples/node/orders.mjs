/** An order goes out as a message and comes back as a signed delivery: plain Node.js, no packages. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { QSTASH_URL, QSTASH_TOKEN, QSTASH_CURRENT_SIGNING_KEY, QSTASH_NEXT_SIGNING_KEY } =
  process.env;

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const signature = request.headers['upstash-signature'] ?? '';
  const keys = [QSTASH_CURRENT_SIGNING_KEY, QSTASH_NEXT_SIGNING_KEY];
  if (!keys.some((key) => isSignedBy(key, signature, body))) {
    response.writeHead(401).end();
    return;
  }
  const { order } = JSON.parse(body.toString());
  // A delivery may come twice: what it does should be the same the second time.
  process.stdout.write(`paid order ${order}\n`);
  response.end();
  server.close();
});

server.listen(0, '127.0.0.1', async () => {
  const hook = `http://127.0.0.1:${server.address().port}/orders`;
  const response = await fetch(`${QSTASH_URL}/v2/publish/${hook}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${QSTASH_TOKEN}`,
      'content-type': 'application/json',
      'upstash-retries': '5',
    },
    body: JSON.stringify({ order: 7 }),
  });
  if (!response.ok) throw new Error(await response.text());
  process.stdout.write(`published ${(await response.json()).messageId}\n`);
});

/** Whether the token is of this key, for this body, and not too old. */
function isSignedBy(key, token, body) {
  const [header = '', claims = '', given = ''] = token.split('.');
  const made = createHmac('sha256', key).update(`${header}.${claims}`).digest();
  const sent = Buffer.from(given, 'base64url');
  if (sent.length !== made.length || !timingSafeEqual(sent, made)) return false;
  const { exp, body: hash } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  return exp > Date.now() / 1000 && hash === createHash('sha256').update(body).digest('base64url');
}
