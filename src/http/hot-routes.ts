/** The door for routes that a request budget leaves no room in for Nest's argument pipeline. */
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';

/**
 * Routes that a feature registers straight on Fastify. Their credentials have been checked by the
 * front door, their body is a `Buffer` (`rawBody`), their answers are strings; a refusal goes out
 * through `sendRefusal`, a thrown error through the error filter. A route's `bodyLimit` is its own.
 */
export interface HotRoutes {
  register(fastify: FastifyInstance): void;
}

/** Takes routes while the modules are built: `constructor(table: RouteTable, routes: MyRoutes)`. */
@Injectable()
export class RouteTable {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  add(routes: HotRoutes): void {
    const fastify: FastifyInstance = this.adapterHost.httpAdapter.getInstance();
    routes.register(fastify);
  }
}
