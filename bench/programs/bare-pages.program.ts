/**
 * Measured program: the bare loop of reading. It takes a position in, reads the page that begins
 * there from a file, in one read, and sends its bytes as they are. The pages are answers that were
 * fetched from Stepwell before: it checks no credential, makes no JSON, and knows no groups.
 */
import { open, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ready, settings } from './measured-program.js';

/** How the program is started. */
export interface BarePagesSettings {
  readonly file: string;
  /** Pairs of `partition/offset` and place, as JSON. */
  readonly index: string;
}

/** Bytes of a page in the file. */
export interface PagePlace {
  readonly position: number;
  readonly length: number;
}

const { file, index } = settings<BarePagesSettings>();
const pages = await open(file, 'r');
const places = new Map(JSON.parse(await readFile(index, 'utf8')) as [string, PagePlace][]);

function take(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    const { partition, offset } = JSON.parse(Buffer.concat(chunks).toString());
    const place = places.get(`${partition}/${offset}`);
    if (place === undefined) {
      response.writeHead(416).end();
      return;
    }
    const { position, length } = place;
    const bytes = Buffer.allocUnsafe(length);
    await pages.read(bytes, 0, length, position);
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('content-length', length);
    response.end(bytes);
  });
}

const server = createServer({ keepAliveTimeout: 60_000 }, take);
server.listen(0, '127.0.0.1', () => {
  ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
