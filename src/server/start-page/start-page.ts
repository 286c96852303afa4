/** `GET /`: where everything is, for people with a browser and for programs. It holds no secret. */
import { createHash } from 'node:crypto';
import { version } from '../../grammar/version.js';

/** A place that the page names; `path` is absolute on this server. */
interface Place {
  readonly path: string;
  readonly meaning: string;
}

const places: readonly Place[] = [
  { path: '/openapi.json', meaning: 'every route, its parameters and answers (OpenAPI 3.1)' },
  { path: '/health/live', meaning: 'whether the process lives' },
  { path: '/health/ready', meaning: 'whether it takes work, and why not' },
  { path: '/metrics', meaning: 'what it counts and measures (Prometheus)' },
];

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}' +
  'code{font-size:.95em}dt{margin-top:.75rem}dd{margin:0;opacity:.75}' +
  ':root{color-scheme:light dark}';

const rows = places
  .map(
    ({ path, meaning }) => `<dt><a href="${path}"><code>${path}</code></a></dt><dd>${meaning}</dd>`,
  )
  .join('\n');

/** The page: static, without scripts, images or anything from elsewhere. */
export const startPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stepwell</title>
<style>${style}</style>
</head>
<body>
<h1>Stepwell ${version}</h1>
<p>This server is running. It delivers HTTP messages, runs workflows and keeps topics. README.md,
which came with it, says how to publish a first message; these need no credentials:</p>
<dl>
${rows}
</dl>
<p>Everything below <code>/v2</code> asks for a bearer token, and the topics for a username and
password: the first start printed them.</p>
</body>
</html>
`;

/** The same for programs. */
export const startObject = {
  name: 'stepwell',
  version,
  links: Object.fromEntries(places.map(({ path, meaning }) => [path, meaning])),
};

const styleDigest = createHash('sha256').update(style).digest('base64');

/** What a browser may do with the page: show it, with this style and nothing else. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; ` +
    "form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
