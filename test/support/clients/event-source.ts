/** A reader of server-sent events (WHATWG HTML), which is cut and comes back as a browser does. */

/** An event as it was dispatched. */
export interface SentEvent {
  /** `message` where the stream names none. */
  readonly type: string;
  /** The last id that the stream has named. */
  readonly id: string;
  readonly data: string;
}

export class EventSource {
  private text = '';

  private constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    private readonly cutter: AbortController,
    public lastId: string,
  ) {}

  /** Opens a stream; `lastId` is what a reader has that comes back. Throws where it is refused. */
  static async open(
    url: string,
    headers: Readonly<Record<string, string>>,
    lastId = '',
  ): Promise<EventSource> {
    const cutter = new AbortController();
    const back: Record<string, string> = lastId === '' ? {} : { 'last-event-id': lastId };
    const sent = { ...headers, ...back, accept: 'text/event-stream' };
    const response = await fetch(url, { headers: sent, signal: cutter.signal });
    const type = response.headers.get('content-type') ?? '';
    if (!type.includes('text/event-stream') || response.body === null) {
      throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
    }
    return new EventSource(response.body.getReader(), cutter, lastId);
  }

  /** The next event; null = the stream has ended. */
  async next(): Promise<SentEvent | null> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.text.slice(0, end);
        this.text = this.text.slice(end + 2);
        const event = this.dispatched(block);
        if (event !== null) return event;
        continue;
      }
      const { value, done } = await this.reader.read().catch(() => ended);
      if (done) return null;
      this.text += Buffer.from(value).toString();
    }
  }

  /** So many events; fewer where the stream ends. */
  async take(count: number): Promise<SentEvent[]> {
    const events: SentEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === null) break;
      events.push(event);
    }
    return events;
  }

  /** Closes the connection, in the middle of whatever comes. */
  cut(): void {
    this.cutter.abort();
  }

  private dispatched(block: string): SentEvent | null {
    let type = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === 'id') this.lastId = value;
      else if (field === 'event') type = value;
      else if (field === 'data') data.push(value);
    }
    return data.length === 0 ? null : { type, id: this.lastId, data: data.join('\n') };
  }
}

const ended = { value: undefined, done: true } as const;
