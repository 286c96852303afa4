/** Turns what ends a request badly into a refusal; only here is an error "internal". */
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { DiskFull, TooLarge } from '../../storage/storage-errors.js';
import { type Refusal, sendRefusal } from './error-shapes.js';
import type { KnownPaths } from './known-paths.js';
import { loggedPath } from './log.js';

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly knownPaths: KnownPaths,
    private readonly log: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) {
      this.log.error({ err: error, path: loggedPath(request.url) }, 'failed after the answer');
      return;
    }
    sendRefusal(request, reply, this.refusalOf(error, request));
  }

  private refusalOf(error: unknown, request: FastifyRequest): Refusal {
    if (request.is404 && error instanceof HttpException && error.getStatus() === 404) {
      return this.unknownRoute(request);
    }
    if (error instanceof HttpException) {
      return { status: error.getStatus(), message: error.message };
    }
    if (error instanceof TooLarge) return { status: 413, message: error.message };
    if (error instanceof DiskFull) return { status: 507, message: 'the disk is full' };
    const { method, url, id } = request;
    this.log.error({ err: error, method, path: loggedPath(url), request: id }, 'request failed');
    return { status: 500, message: 'internal error' };
  }

  private unknownRoute({ method, url }: FastifyRequest): Refusal {
    const allowed = this.knownPaths.methodsOf(url);
    if (allowed.length === 0) return { status: 404, message: `${loggedPath(url)} not found` };
    return {
      status: 405,
      message: `${method} is not allowed here`,
      headers: { allow: allowed.join(', ') },
    };
  }
}
