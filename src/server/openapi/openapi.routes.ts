/** `GET /openapi.json`: what this server answers, for programs that read it (messaging.md 1.1). */
import { Injectable } from '@nestjs/common';
import type { Exchange } from '../../http/routes/exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { openapiDocument } from './openapi-document.js';

const headers = ['content-type', 'application/json; charset=utf-8'];

@Injectable()
export class OpenapiRoute implements FastifyRoute {
  readonly methods = ['GET'];
  readonly pattern = '/openapi.json';
  readonly description: RouteDescription = {
    summary: 'This document',
    access: 'open',
    answers: { 200: { description: 'OpenAPI 3.1', contentType: 'application/json' } },
  };
  private document: string | null = null;

  constructor(private readonly table: RouteTable) {}

  /** The document is made for the first request: by then every route is in the table. */
  serve(exchange: Exchange): void {
    this.document ??= JSON.stringify(openapiDocument(this.table.routes));
    exchange.answer(200, headers, this.document);
  }
}
