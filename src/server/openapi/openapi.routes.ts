/** `GET /openapi.json`: the API of this server, for programs that read it (messaging.md 1.1). */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { isUnchanged } from '../../http/bytes/conditional.js';
import { accepts } from '../../http/bytes/packed-answer.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { openapiDocument } from './openapi-document.js';

/** The document as it is sent. */
interface Written {
  readonly text: Buffer;
  readonly gzip: Buffer;
  readonly tag: string;
}

/**
 * Needs no credential, as it reveals nothing of this server except its version; it has an `ETag`,
 * so that clients need not fetch it twice.
 */
@Injectable()
export class OpenapiRoute implements FastifyRoute {
  readonly methods = ['GET', 'HEAD'];
  readonly pattern = '/openapi.json';
  readonly description: RouteDescription = {
    summary: 'This document',
    access: 'open',
    answers: {
      200: { description: 'OpenAPI 3.1', contentType: 'application/json' },
      304: { description: 'Not changed: If-None-Match names its current version' },
    },
  };
  private document: Written | null = null;

  constructor(private readonly table: RouteTable) {}

  /** Generates the document at the first request, when every route is in the table. */
  serve(exchange: Exchange): void {
    this.document ??= this.write();
    const { text, gzip, tag } = this.document;
    const { headers: asked } = exchange.request;
    const isPacked = accepts(String(asked['accept-encoding'] ?? ''), 'gzip');
    const headers = [
      ...['content-type', 'application/json; charset=utf-8', 'vary', 'accept-encoding'],
      ...['etag', tag, 'cache-control', 'no-cache'],
    ];
    if (isUnchanged(exchange.request, tag)) exchange.answer(304, headers);
    else if (isPacked) exchange.answer(200, [...headers, 'content-encoding', 'gzip'], gzip);
    else exchange.answer(200, headers, text);
  }

  private write(): Written {
    const text = Buffer.from(JSON.stringify(openapiDocument(this.table.routes)));
    const digest = createHash('sha256').update(text).digest('base64url');
    return { text, gzip: gzipSync(text), tag: `"${digest.slice(0, 22)}"` };
  }
}
