/**
 * Data folders as earlier versions left them, under `test/golden/folder`: unpacked for a test, and
 * written anew with STEPWELL_WRITE_GOLDEN=1, which is right only before a release of that version.
 */
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printedLines } from '../../../src/cli/journal/journal-print.js';
import { readJournal } from '../../../src/cli/journal/journal-reader.js';
import { identifiersFrom } from '../../../src/engine/identifiers.js';
import type { Ports } from '../../../src/server/ports.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { RecordingEndpoint, type ScriptedAnswer } from '../clients/recording-endpoint.js';
import type { ManualClock } from '../manual-clock.js';
import { startServer, type TestServer } from '../server.js';

const golden = 'test/golden/folder';

/** When the servers that wrote the folders were started. */
export const writtenAt = 1_767_000_000_000;

/**
 * The journal's segment is filled with zeros ahead; they are cut off for git, and put back, unless
 * the files are small anyway.
 */
const prepared = { file: 'logs/0000000000/0000000000.log', bytes: 64 * 1024 * 1024 };

/** Names the user whose webhooks the folders announce. */
const user = { UserID: 'golden', Password: 'golden-password' };
const token = Buffer.from(JSON.stringify(user)).toString('base64');

const fixed = { Date: 'Mon, 29 Dec 2025 09:20:00 GMT' };
const answers: Record<string, ScriptedAnswer> = {
  '/delivered': { headers: fixed, body: 'thanks' },
  '/failed': { status: 500, headers: fixed, body: 'sorry' },
  '/retrying': { status: 503, headers: fixed },
  '/workflow': { headers: { ...fixed, 'Svc-Workflow-Sdk-Version': '1' } },
  '/refused': { status: 489, headers: { ...fixed, 'Svc-NonRetryable-Error': 'true' } },
};

/** What the endpoint answers where no test says otherwise. */
export const answerAt = (path: string): ScriptedAnswer => answers[path] ?? { headers: fixed };

/** An answer of the server; `body` is what its JSON says, null where there is none. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A folder of one version while a test has it open, and the endpoint that its messages know. */
export class GoldenFolder {
  private constructor(
    readonly version: string,
    private readonly parent: string,
    readonly endpoint: RecordingEndpoint,
    private readonly fileSizes: Ports['fileSizes'],
  ) {}

  /** `fileSizes`: those that it is written with, where they are not those of a real disk. */
  static async open(version: string, fileSizes?: Ports['fileSizes']): Promise<GoldenFolder> {
    const parent = await mkdtemp(join(tmpdir(), 'stepwell-golden-'));
    const endpoint = await RecordingEndpoint.start(({ url }) => answerAt(url));
    return new GoldenFolder(version, parent, endpoint, fileSizes);
  }

  get path(): string {
    return join(this.parent, 'data');
  }

  /** Puts the folder there as git has it. */
  async unpack(): Promise<void> {
    await cp(join(golden, this.version), this.path, { recursive: true });
    if (this.fileSizes !== undefined) return;
    await truncate(join(this.path, prepared.file), prepared.bytes);
  }

  /** The server of the folder: its credentials, its endpoint's name, a clock that stands. */
  start(clock: ManualClock, ports: Partial<Ports> = {}): Promise<TestServer> {
    const random = new SeededRandom(11);
    return startServer({
      dataDirectory: this.path,
      environment: {
        STEPWELL_TOKEN: token,
        STEPWELL_READ_TOKEN: 'golden-read-token',
        STEPWELL_REST_USERNAME: 'golden',
        STEPWELL_REST_PASSWORD: 'golden-password',
        STEPWELL_CURRENT_SIGNING_KEY: 'sig_golden_1',
        STEPWELL_NEXT_SIGNING_KEY: 'sig_golden_2',
        STEPWELL_HOST_OVERRIDES: `hooks.example.com=127.0.0.1:${this.endpoint.port}`,
      },
      ports: {
        clock,
        identifiers: identifiersFrom((length) => random.bytes(length)),
        fileSizes: this.fileSizes ?? {},
        ...ports,
      },
    });
  }

  /** The journal in human words, all of it. */
  printed(): Promise<string> {
    return readJournal(this.path, async (journal) => {
      let text = '';
      const lines = journal === null ? [] : printedLines(journal, { reveal: true });
      for await (const line of lines) text += `${line}\n`;
      return text;
    });
  }

  /** What the folder held, and how its journal printed, when it was written. */
  async expected(): Promise<{ holdings: unknown; journal: string }> {
    const [holdings, journal] = await Promise.all([
      readFile(join(golden, `${this.version}.holdings.json`), 'utf8'),
      readFile(join(golden, `${this.version}.journal.txt`), 'utf8'),
    ]);
    // Ids of dead letters had no mark of their shard in these versions.
    const marked = holdings.replaceAll(/"dlqId": "(\d+-\d+)"/g, '"dlqId": "$1s00"');
    return { holdings: JSON.parse(marked), journal };
  }

  /** Keeps the folder of a stopped server in git, with what it held. */
  async keep(holdings: unknown): Promise<void> {
    // 64 MiB that every start makes again; LOCK is empty and git keeps no empty folder.
    for (const name of ['RESERVE', 'LOCK', 'tmp', 'quarantine']) {
      await rm(join(this.path, name), { recursive: true, force: true });
    }
    const journal = await this.printed();
    if (this.fileSizes === undefined) await this.cutZeros();
    const kept = join(golden, this.version);
    await rm(kept, { recursive: true, force: true });
    await cp(this.path, kept, { recursive: true });
    await writeFile(`${kept}.holdings.json`, `${JSON.stringify(holdings, null, 2)}\n`);
    await writeFile(`${kept}.journal.txt`, journal);
  }

  private async cutZeros(): Promise<void> {
    const written = await readFile(join(this.path, prepared.file));
    if (written.length !== prepared.bytes) throw new Error('the segment was not filled ahead');
    const end = written.findLastIndex((byte) => byte !== 0) + 1;
    await truncate(join(this.path, prepared.file), end);
  }

  async close(): Promise<void> {
    await this.endpoint.stop();
    await rm(this.parent, { recursive: true });
  }
}

/** Calls the server with the credentials of the interface that the path belongs to. */
export async function call(
  server: TestServer,
  method: string,
  path: string,
  { body = '', ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const authorization = path.startsWith('/v2/') ? server.bearer : server.basic;
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization, ...headers },
    ...(method === 'GET' ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

/** Publishes to a path of the folder's endpoint. */
export async function publish(
  server: TestServer,
  path: string,
  options: Record<string, string> = {},
): Promise<{ status: number; id: string }> {
  const url = `/v2/publish/http://hooks.example.com${path}`;
  const answer = await call(server, 'POST', url, { body: `to ${path}`, ...options });
  return { status: answer.status, id: (answer.body as { messageId: string }).messageId };
}
