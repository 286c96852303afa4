/**
 * The server for the pictures: the built program, so that its numbers are those of a real server.
 * It runs as `dev`, whose clock can be moved: an hour of work takes seconds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, callApi } from '../../support/clients/api-call.js';
import { basic, freePort, ServerProcess } from '../../support/program/server-process.js';

const program = join(import.meta.dirname, '../../../bin/stepwell.cjs');

/** The settings that people have who copy a command from a picture. */
const settings = { STEPWELL_DIALECT: 'svc', STEPWELL_TOKEN: 'my-token' };

export class PicturedServer {
  readonly bearer = `Bearer ${settings.STEPWELL_TOKEN}`;
  readonly basic = basic;
  readonly token = settings.STEPWELL_TOKEN;

  private constructor(
    private readonly server: ServerProcess,
    private readonly folder: string,
  ) {}

  static async start(): Promise<PicturedServer> {
    const folder = await mkdtemp(join(tmpdir(), 'stepwell-pictures-'));
    const port = await freePort();
    const server = await ServerProcess.start(folder, port, settings, [], [program, 'dev']);
    return new PicturedServer(server, folder);
  }

  get url(): string {
    return this.server.url;
  }

  /** Throws if the request is refused: a picture of half the work would not look wrong. */
  async call(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<Answer> {
    const answer = await callApi(this, method, path, headers, body);
    if (answer.status >= 400) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer;
  }

  /** Uses the operator's credential, for routes below `/admin` and those of topics. */
  operate(method: string, path: string, body?: string, more: Record<string, string> = {}) {
    return this.call(method, path, { authorization: this.basic, ...more }, body);
  }

  /** The time of the server, Unix milliseconds. */
  async now(): Promise<number> {
    return ((await this.operate('GET', '/admin/clock')).body as { now: number }).now;
  }

  /** Moves the clock by `90s`, `1m`, …; work that comes due meanwhile runs at once. */
  async forward(duration: string): Promise<void> {
    await this.operate('POST', '/admin/clock', JSON.stringify({ forward: duration }));
  }

  async stop(): Promise<void> {
    await this.server.kill('SIGTERM');
    await rm(this.folder, { recursive: true, force: true });
  }
}
