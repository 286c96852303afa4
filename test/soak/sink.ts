/** Where messages of a soak go: it takes texts, refuses some calls, and fails where asked to. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SeededRandom } from '../simulation/seeded-random.js';
import { Expected, numberOf } from './expected.js';

export class Sink {
  /** Texts that came to paths which take one, and those of records. */
  readonly texts = new Expected();
  readonly records = new Expected();
  /** Numbers whose messages fail at `/failing`. */
  readonly failing = new Set<number>();
  readonly mistakes: string[] = [];
  /** Bodies that a schedule has sent, by its name. */
  readonly scheduled = new Map<string, number>();

  private constructor(
    private readonly server: Server,
    private readonly random: SeededRandom,
  ) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        response.statusCode = this.take(request.url ?? '', body);
        response.end('answered');
      });
    });
  }

  static async start(random: SeededRandom): Promise<Sink> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Sink(server, random);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private take(path: string, body: string): number {
    try {
      return this.statusOf(path, body);
    } catch (error) {
      this.mistakes.push(`${path}: ${String(error)}`);
      return 200;
    }
  }

  private statusOf(path: string, body: string): number {
    const [, kind = '', name = ''] = path.split('/');
    if (kind === 'flaky' && this.random.chance(0.2)) return 503;
    if (kind === 'schedule') {
      if (body !== `schedule ${name}`) throw new Error(`a schedule has sent ${body}`);
      this.scheduled.set(name, (this.scheduled.get(name) ?? 0) + 1);
      return 200;
    }
    if (kind === 'records') {
      for (const { value } of JSON.parse(body) as { value: string }[]) {
        this.records.arrive(numberOf(value));
      }
      return 200;
    }
    const number = numberOf(body);
    if (kind === 'failing' && this.failing.has(number)) return 500;
    this.texts.arrive(number);
    return 200;
  }
}
