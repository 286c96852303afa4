/** librdkafka's mock brokers, if gcc and librdkafka-dev are installed. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { killedAtLast, leave } from '../../support/leftovers.js';

const source = fileURLToPath(new URL('mock-brokers.c', import.meta.url));

const isAvailable = compiles('-fsyntax-only', source);

function compiles(...words: readonly string[]): boolean {
  try {
    execFileSync('gcc', ['-Wall', ...words], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

function newProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-mock-brokers-'));
  leave(folder);
  const program = join(folder, 'mock-brokers');
  execFileSync('gcc', ['-o', program, source, '-lrdkafka'], { stdio: 'pipe' });
  return program;
}

/** A group of tests that need mock brokers; skipped under this name if there are none. */
export const describeWithMockBrokers = (name: string, tests: () => void): void =>
  isAvailable
    ? describe(name, tests)
    : describe.skip(`${name} (gcc or librdkafka-dev is not installed)`, tests);

/** `host:port,...` of real brokers, on which tests create topics; null if there are none. */
export const realBrokers = process.env['STEPWELL_TEST_KAFKA'] ?? null;

/** A group of tests that need real brokers. */
export const describeWithRealBrokers = (name: string, tests: () => void): void =>
  realBrokers === null
    ? describe.skip(`${name} (STEPWELL_TEST_KAFKA names none)`, tests)
    : describe(name, tests);

/** Kinds of requests, by their numbers in the protocol. */
export const requestKinds = { produce: 0, fetch: 1, listOffsets: 2, metadata: 3 } as const;

type RequestKind = keyof typeof requestKinds;

/** Three brokers, numbered from 1. */
export class MockBrokers {
  private readonly answers: ((line: string) => void)[] = [];

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    /** `host:port,host:port,host:port`. */
    readonly addresses: string,
  ) {}

  static async start(): Promise<MockBrokers> {
    const child = killedAtLast(spawn(newProgram(), { stdio: ['pipe', 'pipe', 'pipe'] }));
    const lines = createInterface(child.stdout);
    const addresses = await new Promise<string>((resolve) => lines.once('line', resolve));
    const brokers = new MockBrokers(child, addresses);
    lines.on('line', (line) => brokers.answers.shift()?.(line));
    return brokers;
  }

  /** Creates a topic that the first broker leads. */
  async topic(name: string): Promise<void> {
    await this.command(`topic ${name}`);
    await this.lead(name, 1);
  }

  lead(topic: string, broker: number): Promise<void> {
    return this.command(`leader ${topic} ${broker}`);
  }

  /** Delays all answers. */
  delay(ms: number): Promise<void> {
    return this.command(`rtt ${ms}`);
  }

  /** Makes the next requests of a kind fail with an error, without effect. */
  fail(kind: RequestKind, code: number, count = 1): Promise<void> {
    return this.command(`fail ${requestKinds[kind]} ${code} ${count}`);
  }

  /** Makes a broker carry out the next request of a kind, but answer late. */
  answerLate(broker: number, kind: RequestKind, ms: number): Promise<void> {
    return this.command(`late ${broker} ${requestKinds[kind]} ${ms}`);
  }

  down(broker: number): Promise<void> {
    return this.command(`down ${broker}`);
  }

  up(broker: number): Promise<void> {
    return this.command(`up ${broker}`);
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }

  private async command(line: string): Promise<void> {
    const answer = new Promise<string>((resolve) => this.answers.push(resolve));
    this.child.stdin.write(`${line}\n`);
    const said = await answer;
    if (said !== 'ok') throw new Error(`mock brokers, ${line}: ${said}`);
  }
}
