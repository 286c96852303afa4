/** A connection that stays open between requests, whose bytes a test chooses. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class KeptConnection {
  private received = '';
  private wake: () => void = () => undefined;
  /** Whether the server has ended its side, or the connection is gone. */
  isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (piece: string) => {
      this.received += piece;
      this.wake();
    });
    socket.on('error', () => undefined);
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.isClosed = true;
        this.wake();
      });
    }
  }

  static async open(port: number): Promise<KeptConnection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new KeptConnection(socket);
  }

  /** Sends `text`, and gives the next answer. */
  ask(text: string | Buffer): Promise<string> {
    this.socket.write(text);
    return this.answer();
  }

  /** The next answer, by its length; what came of it where the connection ends before. */
  async answer(): Promise<string> {
    for (;;) {
      const headEnd = this.received.indexOf('\r\n\r\n') + 4;
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(this.received.slice(0, headEnd))?.[1];
      const end = headEnd + Number(length ?? 0);
      if (this.isClosed || (headEnd > 3 && this.received.length >= end)) {
        const answer = this.received.slice(0, end);
        this.received = this.received.slice(end);
        return answer;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
