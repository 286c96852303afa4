/** Publishes of all kinds, and looks at what was acknowledged of them. */
import type { SeededRandom } from '../simulation/seeded-random.js';
import { type Clients, pause } from './clients.js';
import { textOf } from './expected.js';
import type { ServerClock } from './server-clock.js';
import type { Sink } from './sink.js';

/** How long the server is set to keep what. */
export interface Retentions {
  readonly logMs: number;
  readonly letterMs: number;
}

/** The server forgets an id of deduplication after so long. */
const deduplicationMs = 600_000;

const retried = { 'svc-retries': '1000', 'svc-retry-delay': '100' };

/** What was acknowledged under an id of deduplication. */
interface Named {
  readonly messageId: string;
  readonly at: number;
}

/** A message that fails until its letter was found. */
interface Failing {
  readonly number: number;
  readonly messageId: string;
  readonly at: number;
}

export class MessageLoad {
  readonly found = { rows: 0, letters: 0, retried: 0, deduplicated: 0, patient: 0 };
  private number = 0;
  private readonly named = new Map<string, Named>();
  private readonly failing: Failing[] = [];

  constructor(
    private readonly clients: Clients,
    private readonly sink: Sink,
    private readonly clock: ServerClock,
    private readonly random: SeededRandom,
    private readonly retentions: Retentions,
  ) {}

  /** One thing that a client does. */
  async act(): Promise<void> {
    const { random } = this;
    const dice = random.next();
    if (dice < 0.3) await this.publish('ok', {});
    else if (dice < 0.45) await this.publish('flaky', {});
    else if (dice < 0.55) {
      await this.publish('ok', {
        'svc-flow-control-key': `key-${random.below(40)}`,
        'svc-flow-control-value': 'rate=50, parallelism=4, period=1s',
      });
    } else if (dice < 0.65) await this.enqueue();
    else if (dice < 0.72) await this.publishToGroup();
    else if (dice < 0.8) await this.publishOnce();
    else if (dice < 0.88) await this.publishPatiently();
    else if (dice < 0.95) await this.fail();
    else await this.findLetter();
  }

  private async publish(path: string, headers: Readonly<Record<string, string>>) {
    const { clients, sink, clock } = this;
    this.number += 1;
    const { number } = this;
    const at = clock.now();
    const url = `/v2/publish/${sink.url}/${path}/`;
    const answer = await clients.ask('POST', url, textOf(number), { ...retried, ...headers });
    if (answer === null) return null;
    sink.texts.acknowledge(number);
    const { messageId } = answer.body as { messageId: string };
    if (this.random.chance(0.2)) await this.findRow(messageId, at);
    return { number, messageId, at };
  }

  /** What was published within retention has its row, whatever was swept. */
  private async findRow(messageId: string, at: number): Promise<void> {
    const { clients, clock, retentions } = this;
    await pause(this.random.below(retentions.logMs));
    const states: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const path: string = `/v2/logs?messageId=${messageId}${cursor}`;
      const page = await clients.ask('GET', path);
      if (page === null) return;
      const { logs, cursor: next } = page.body as { logs: { state: string }[]; cursor?: string };
      states.push(...logs.map(({ state }) => state));
      // A page may be short where others follow it.
      cursor = next === undefined ? undefined : `&cursor=${next}`;
    }
    if (!clock.isWithin(at, retentions.logMs)) return;
    if (states.includes('CREATED')) this.found.rows += 1;
    else clients.failures.push(`${messageId} of ${at} has only the rows ${states}`);
  }

  private async enqueue(): Promise<void> {
    this.number += 1;
    const { number } = this;
    const path = `/v2/enqueue/queue-${this.random.below(3)}/${this.sink.url}/flaky/`;
    const answer = await this.clients.ask('POST', path, textOf(number), retried);
    if (answer !== null) this.sink.texts.acknowledge(number);
  }

  private async publishToGroup(): Promise<void> {
    this.number += 1;
    const { number } = this;
    const answer = await this.clients.ask('POST', '/v2/publish/group', textOf(number), retried);
    if (answer !== null) this.sink.texts.acknowledge(number);
  }

  /** Under a name that may have been published before, by a server that has died since. */
  private async publishOnce(): Promise<void> {
    const { clients, sink, clock, random } = this;
    const name = `name-${random.below(200)}`;
    const known = this.named.get(name);
    this.number += 1;
    const { number } = this;
    const at = clock.now();
    const headers = { ...retried, 'svc-deduplication-id': name };
    const url = `/v2/publish/${sink.url}/ok/`;
    const answer = await clients.ask('POST', url, textOf(number), headers);
    // It may have been published all the same.
    this.named.delete(name);
    if (answer === null) return;
    const { messageId, deduplicated } = answer.body as {
      messageId: string;
      deduplicated?: boolean;
    };
    if (deduplicated !== true) sink.texts.acknowledge(number);
    if (known !== undefined && clock.isWithin(known.at, deduplicationMs)) {
      this.found.deduplicated += 1;
      if (deduplicated !== true || messageId !== known.messageId) {
        clients.failures.push(`${name} is ${messageId} and was ${known.messageId}`);
      }
    }
    if (deduplicated !== true) this.named.set(name, { messageId, at });
    else if (known !== undefined) this.named.set(name, known);
  }

  /** It waits across sweeps and deaths, and its body is there all the time. */
  private async publishPatiently(): Promise<void> {
    const { clients, random, retentions } = this;
    const delayMs = random.below(4 * retentions.logMs);
    const published = await this.publish('ok', { 'svc-delay': `${Math.ceil(delayMs / 1000)}s` });
    if (published === null) return;
    await pause(delayMs / 2);
    const { messageId, number } = published;
    const answer = await clients.try('GET', `/v2/messages/${messageId}`);
    if (answer === null || answer.status === 404) return;
    const { body } = answer.body as { body: string };
    if (body === textOf(number)) this.found.patient += 1;
    else clients.failures.push(`${messageId} has the body ${body.slice(0, 50)}`);
  }

  private async fail(): Promise<void> {
    const { clients, sink, clock } = this;
    if (this.failing.length > 50) return;
    this.number += 1;
    const { number } = this;
    sink.failing.add(number);
    const at = clock.now();
    const url = `/v2/publish/${sink.url}/failing/`;
    const answer = await clients.ask('POST', url, textOf(number), { 'svc-retries': '0' });
    if (answer === null) return;
    const { messageId } = answer.body as { messageId: string };
    this.failing.push({ number, messageId, at });
  }

  /** A letter is there until its retention is over, and its retry has the body. */
  private async findLetter(): Promise<void> {
    const { clients, sink, clock, retentions } = this;
    const failing = this.failing.shift();
    if (failing === undefined) return;
    const { number, messageId, at } = failing;
    const page = await clients.ask('GET', `/v2/dlq?messageId=${messageId}`);
    const isKept = clock.isWithin(at, retentions.letterMs);
    if (page === null) this.failing.push(failing);
    const [letter] =
      (page?.body as { messages: { dlqId: string; body: string }[] })?.messages ?? [];
    if (page === null || letter === undefined) {
      // Its only attempt may not have ended.
      if (page !== null && isKept) this.failing.push(failing);
      return;
    }
    if (letter.body !== textOf(number)) clients.failures.push(`${letter.dlqId} has another body`);
    this.found.letters += 1;
    sink.failing.delete(number);
    const again = await clients.try('POST', `/v2/dlq/retry/${letter.dlqId}`, undefined, retried);
    if (again?.status === 201) {
      this.found.retried += 1;
      sink.texts.acknowledge(number);
    }
  }

  /** Messages that have failed, and are not found as dead letters. */
  async lost(): Promise<readonly string[]> {
    const lost: string[] = [];
    for (const { messageId, at } of this.failing.splice(0)) {
      const page = await this.clients.ask('GET', `/v2/dlq?messageId=${messageId}`);
      const { messages } = (page?.body ?? { messages: [] }) as { messages: unknown[] };
      const isKept = this.clock.isWithin(at, this.retentions.letterMs);
      if (messages.length === 0 && isKept) lost.push(messageId);
    }
    return lost;
  }
}
