import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { readConfiguration } from '../../../src/server/configuration/config.js';
import {
  developmentCredentials,
  openCredentials,
  pasteLines,
  userIdsOf,
} from '../../../src/server/credentials/credentials.js';
import { refuseWeakSecrets } from '../../../src/server/credentials/weak-secrets.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stepwell-credentials-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

function configOf(environment: Record<string, string> = {}) {
  return readConfiguration({ STEPWELL_DATA_DIR: directory, ...environment }).config;
}

const open = (environment?: Record<string, string>) =>
  openCredentials(configOf(environment), nodeDisk, systemIdentifiers);

test('credentials that are not given are generated once and kept', async () => {
  const first = await open();
  const second = await open();
  expect(second.credentials).toEqual(first.credentials);
  expect(new Set(Object.values(first.sources))).toEqual(new Set(['generated']));
  expect(new Set(Object.values(second.sources))).toEqual(new Set(['file']));
  expect(pasteLines(first)).toHaveLength(6);
  expect(pasteLines(second)).toEqual([]);
});

test('the lines to paste are read back as the same credentials', async () => {
  const opened = await open();
  const pasted = Object.fromEntries(pasteLines(opened).map((line) => line.split(/=(.*)/)));
  const { credentials } = await openCredentials(configOf(pasted), nodeDisk, systemIdentifiers);
  expect(credentials).toEqual(opened.credentials);
});

test('the environment takes precedence over the file, and its values are not kept', async () => {
  await open();
  const { credentials, sources } = await open({ STEPWELL_TOKEN: 'given' });
  expect([credentials.tokens, sources.tokens]).toEqual([['given'], 'environment']);
  expect(sources.restPassword).toBe('file');
  expect(await readFile(join(directory, 'credentials.json'), 'utf8')).not.toContain('given');
});

test('nothing is written when everything is given', async () => {
  const { credentials } = await open();
  await rm(join(directory, 'credentials.json'));
  await open({
    STEPWELL_TOKEN: credentials.tokens.join(','),
    STEPWELL_READ_TOKEN: credentials.readTokens.join(','),
    STEPWELL_REST_USERNAME: credentials.restUsername,
    STEPWELL_REST_PASSWORD: credentials.restPassword,
    STEPWELL_CURRENT_SIGNING_KEY: credentials.currentSigningKey,
    STEPWELL_NEXT_SIGNING_KEY: credentials.nextSigningKey,
  });
  await expect(readFile(join(directory, 'credentials.json'))).rejects.toThrow('ENOENT');
});

test('a node of a cluster accepts only read tokens that all nodes are given', async () => {
  const { credentials: own } = await open();
  const alike = {
    STEPWELL_COMMIT_LOG: 'postgres://127.0.0.1/not-asked',
    STEPWELL_CLUSTER_LISTEN: '127.0.0.1:7070',
    STEPWELL_CLUSTER_SECRET: 'secret-of-all-the-nodes',
    STEPWELL_TOKEN: 'token-of-all-the-nodes-0123456789',
    STEPWELL_REST_USERNAME: 'rest',
    STEPWELL_REST_PASSWORD: 'password-of-all-the-nodes-0123',
    STEPWELL_CURRENT_SIGNING_KEY: 'current-key-of-all-nodes',
    STEPWELL_NEXT_SIGNING_KEY: 'next-key-of-all-the-nodes',
  };
  // Nor does it accept a token in its folder from before it joined.
  const node = await open(alike);
  expect(node.credentials.readTokens).toEqual([]);
  expect(node.sources.readTokens).toBe('default');
  expect(pasteLines(node)).toEqual([]);
  const given = await open({ ...alike, STEPWELL_READ_TOKEN: 'token-that-only-reads-0123' });
  expect(given.credentials.readTokens).toEqual(['token-that-only-reads-0123']);
  expect((await open()).credentials.readTokens).toEqual(own.readTokens);
});

test.each(['', 'null', '[]', '{"tokens": "x"}', '{"other": 1}', '{"tokens": [""]}'])(
  'a credentials file that says %j is refused, not replaced',
  async (content) => {
    const path = join(directory, 'credentials.json');
    await writeFile(path, content);
    await expect(open()).rejects.toThrow('is not a credentials file of Stepwell');
    expect(await readFile(path, 'utf8')).toBe(content);
  },
);

test('two generations share nothing', async () => {
  const first = await open();
  await rm(join(directory, 'credentials.json'));
  const second = await open();
  const secrets = [first, second].flatMap(({ credentials }) =>
    Object.values({ ...credentials, restUsername: '' }).flat(),
  );
  expect(new Set(secrets.filter((secret) => secret !== '')).size).toBe(10);
});

test('the published credentials are refused by name, and generated ones are not', async () => {
  expect(() => refuseWeakSecrets(developmentCredentials(configOf()))).toThrow(
    /STEPWELL_TOKEN .*\n.*STEPWELL_REST_PASSWORD .*\n.*STEPWELL_CURRENT_SIGNING_KEY .*\n.*NEXT/,
  );
  const opened = await open();
  expect(() => refuseWeakSecrets(opened)).not.toThrow();
});

test('the published token is the one that published clients send', () => {
  const { credentials, sources } = developmentCredentials(configOf());
  // From @upstash/qstash, constants of its development server.
  expect(credentials.tokens).toEqual([
    'eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=',
  ]);
  expect(sources.tokens).toBe('published');
});

test('the users are those named by the tokens, whatever form other tokens have', async () => {
  const { credentials } = await open();
  expect(userIdsOf(credentials)).toEqual(new Set(['stepwell', 'reader']));
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const tokens = [
    base64('{"UserID":"someone","Password":"x"}'),
    base64('{"UserID":"","Password":"x"}'),
    base64('{"UserID":7}'),
    base64('null'),
    base64('{"UserID":'),
    'a plain secret',
    '',
  ];
  expect(userIdsOf({ ...credentials, tokens, readTokens: [] })).toEqual(new Set(['someone']));
});
