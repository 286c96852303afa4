/** Answers requests that end in an error, and distinguishes a wrong method from a wrong path. */
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Refusal } from '../../grammar/result.js';
import { sendRefusal } from '../../http/error-shapes.js';
import type { Failures } from '../../http/failures.js';
import { loggedPath } from '../../http/logged-path.js';
import type { RouteTable } from '../../http/routes/route-table.js';
import { isClientGone } from './answer-log.js';

const brokenOff: Refusal = new Refusal('invalid', 'the request was aborted');

/**
 * The only exception filter for what Fastify serves. An error after the answer has begun is only
 * logged.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteTable,
    private readonly failures: Failures,
    private readonly log: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent || reply.raw.headersSent) {
      if (isClientGone(error)) return;
      this.log.error(
        { err: error, path: loggedPath(request.url) },
        'a request failed after it was answered',
      );
      return;
    }
    // The client is gone: the connection has counted the aborted request, and no one would read an
    // answer.
    const isBrokenOff = (error !== null && request.raw.errored === error) || isClientGone(error);
    sendRefusal(request, reply, isBrokenOff ? brokenOff : this.refusalOf(error, request));
  }

  private refusalOf(error: unknown, request: FastifyRequest): Refusal {
    if (request.is404 && error instanceof HttpException && error.getStatus() === 404) {
      return this.unknownRoute(request);
    }
    return this.failures.refusalOf(error, request);
  }

  private unknownRoute({ method, url }: FastifyRequest): Refusal {
    const allowed = this.routes.methodsOf(url);
    if (allowed.length === 0) return new Refusal('not_found', `${loggedPath(url)} not found`);
    return new Refusal('wrong_method', `${method} is not allowed here`, {
      allow: allowed.join(', '),
    });
  }
}
