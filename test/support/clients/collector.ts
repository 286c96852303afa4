/** A collector of OpenTelemetry: takes what is sent by OTLP over HTTP, as JSON. */
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { RecordingEndpoint, type ScriptedAnswer } from './recording-endpoint.js';

/** A span as it came, its attributes as an object. */
export interface TakenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: number;
  /** Unix nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** As a request of OTLP spells it. */
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: TakenSpan['status'];
}

export function attributesOf(list: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value['intValue']) : Object.values(value)[0],
    ]),
  );
}

function plain(headers: IncomingHttpHeaders, body: Buffer): Buffer {
  return headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

export class TestCollector {
  private constructor(private readonly endpoint: RecordingEndpoint) {}

  /** The next requests are answered in this way, one each. */
  answerInTurn(...answers: ScriptedAnswer[]): void {
    this.endpoint.answerInTurn(...answers);
  }

  static async start(answer: ScriptedAnswer = {}): Promise<TestCollector> {
    return new TestCollector(await RecordingEndpoint.start(() => answer));
  }

  /** `http://127.0.0.1:<port>`: what `OTEL_EXPORTER_OTLP_ENDPOINT` is set to. */
  get url(): string {
    return this.endpoint.url;
  }

  get requests() {
    return this.endpoint.requests;
  }

  /** Every span that has come, in the order of its begin. */
  get spans(): TakenSpan[] {
    const sent = this.bodies('/v1/traces').flatMap((body) => {
      const { resourceSpans } = body as {
        resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
      };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    });
    const spans = sent.map(
      ({ parentSpanId = null, startTimeUnixNano, endTimeUnixNano, ...span }) => {
        const attributes = attributesOf(span.attributes);
        const [start, end] = [BigInt(startTimeUnixNano), BigInt(endTimeUnixNano)];
        return { ...span, parentSpanId, start, end, attributes };
      },
    );
    return spans.sort((one, other) => Number(one.start - other.start));
  }

  /** What was sent to a path, as values. */
  bodies(path: string): unknown[] {
    return this.requests
      .filter(({ url }) => url === path)
      .map(({ headers, body }) => JSON.parse(plain(headers, body).toString()));
  }

  /** Waits until `exists` says that what is wanted has come. */
  async until(exists: (spans: readonly TakenSpan[]) => boolean): Promise<TakenSpan[]> {
    for (;;) {
      const { spans } = this;
      if (exists(spans)) return spans;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  stop(): Promise<void> {
    return this.endpoint.stop();
  }
}
