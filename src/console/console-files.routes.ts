/**
 * `/console`: the application, which is the same page at each of its addresses (ADR 46); and
 * `/docs`: the API reference, a page that is built with it (ADR 56).
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Disk } from '../../storage/disk/disk.js';
import { provided } from '../engine/provided.js';
import { Refusal } from '../grammar/result.js';
import { isUnchanged } from '../http/bytes/conditional.js';
import type { Exchange } from '../http/routes/exchange.js';
import type { FastifyExchange } from '../http/routes/fastify-exchange.js';
import type { FastifyRoute } from '../http/routes/route.js';
import type { RouteDescription } from '../http/routes/route-description.js';
import { type ConsoleFile, ConsoleFiles } from './console-files.js';

/**
 * What pages of the console may do: load files from this server, send requests to it, and not be
 * framed.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const securityHeaders = [
  ['content-security-policy', policy],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
].flat();

const page = 'index.html';
const reference = 'docs.html';
const methods = ['GET', 'HEAD'];

const description = {
  summary: 'The web console: its page and files',
  access: 'open',
  refuses: [404],
  answers: { 200: { description: 'The page, or a file', contentType: 'text/html' } },
} satisfies RouteDescription;

const referenceDescription = {
  summary: 'The reference: this document as a searchable page',
  access: 'open',
  refuses: [404],
  answers: { 200: { description: 'The page', contentType: 'text/html' } },
} satisfies RouteDescription;

/**
 * Needs no credential: the page contains no secret, and its requests need a session. 404 with a
 * reason if the console was not built.
 */
@Injectable()
export class ConsoleFilesRoutes {
  readonly routes: readonly FastifyRoute[];
  private readonly files: ConsoleFiles;

  constructor(
    @Inject(provided.disk) disk: Disk,
    @Inject(provided.consoleFolder) folder: string | null,
  ) {
    this.files = new ConsoleFiles(disk, folder);
    const serve = (exchange: FastifyExchange) => this.serve(exchange);
    this.routes = [
      { methods, pattern: '/console', description, serve },
      {
        methods,
        pattern: '/console/*',
        description: { ...description, path: '/console/{path}' },
        serve,
      },
      {
        methods,
        pattern: '/docs',
        description: referenceDescription,
        serve: (exchange) => this.answer(exchange, reference),
      },
    ];
  }

  private async serve(exchange: Exchange): Promise<void> {
    const { pathname } = new URL(exchange.target, 'http://server');
    const path = pathname.replace(/^\/console\/?/, '');
    const isAsset = path.startsWith('assets/') || path === 'icon.svg';
    await this.answer(exchange, isAsset ? path : page);
  }

  private async answer(exchange: Exchange, name: string): Promise<void> {
    const accepted = String(exchange.request.headers['accept-encoding'] ?? '');
    const file = await this.files.find(name, accepted);
    if (file !== undefined) {
      answerFile(exchange, file);
      return;
    }
    const isPage = name.endsWith('.html');
    const missing = isPage ? 'this build of the server has no console' : `${name} not found`;
    exchange.refuse(new Refusal('not_found', missing));
  }
}

function answerFile(exchange: Exchange, file: ConsoleFile): void {
  const { contentType, encoding, isImmutable, bytes, tag } = file;
  const headers = [
    ...securityHeaders,
    ...['content-type', contentType, 'vary', 'accept-encoding', 'etag', tag],
    // The page refers to files by their digests, so it must be revalidated each time.
    ...['cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'],
    ...(encoding === null ? [] : ['content-encoding', encoding]),
  ];
  if (isUnchanged(exchange.request, tag)) exchange.answer(304, headers);
  else exchange.answer(200, headers, exchange.request.method === 'HEAD' ? undefined : bytes);
}
