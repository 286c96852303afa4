/**
 * Measured program: the bare `node:http` loop of reading. It reads as many bytes from a file as
 * Stepwell's answer has, one `pread` for each request, and sends them. It checks no credential,
 * parses nothing, knows no records.
 */
import { randomFillSync } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ready, settings } from './measured-program.js';

/** How the program is started. */
export interface BareFileSettings {
  readonly directory: string;
  /** Of each answer. */
  readonly answerBytes: number;
}

const { directory, answerBytes } = settings<BareFileSettings>();
const path = join(directory, 'answers');
fs.writeFileSync(path, randomFillSync(Buffer.alloc(answerBytes)));
const file = fs.openSync(path, 'r');

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    const buffer = Buffer.allocUnsafe(answerBytes);
    fs.read(file, buffer, 0, answerBytes, 0, (error) => {
      if (error !== null) throw error;
      response.setHeader('content-type', 'application/json; charset=utf-8');
      response.end(buffer);
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
