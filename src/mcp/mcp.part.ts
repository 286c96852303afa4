/**
 * The Model Context Protocol, by its official SDK. It is a file of its own in the built program, so
 * that nothing of it is read where it is not wanted (ADR 59).
 */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Ask } from './question.js';
import { toolServer } from './tools.js';

/** A request as it came; its body is whole. */
export interface McpRequest {
  /** Lower-case names; of those that are repeated, the first. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Says that the client has gone. */
  readonly signal: AbortSignal;
}

/** An answer to a `POST`, to be sent as it is. */
export interface McpAnswer {
  readonly status: number;
  /** Name and value in turn. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Only its path means anything to the SDK. */
const endpoint = 'http://stepwell/mcp';

/** Whether the connection goes on is for the server to say, as for every other route. */
const ofHop: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Answers one `POST`. Nothing is kept from one to the next, and no stream stays open. */
export async function answerMcp(request: McpRequest, ask: Ask): Promise<McpAnswer> {
  const handler = createMcpHandler(() => toolServer(ask), {
    maxSubscriptions: 0,
    keepAliveMs: 0,
  });
  try {
    const response = await handler.fetch(new Request(endpoint, { method: 'POST', ...request }));
    return {
      status: response.status,
      headers: [...response.headers].filter(([name]) => !ofHop.has(name)).flat(),
      body: await response.text(),
    };
  } finally {
    await handler.close();
  }
}

/** Serves one client on standard input and output, until it closes them. */
export async function serveMcp(ask: Ask): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdin.once('close', resolve);
    serveStdio(() => toolServer(ask), { maxSubscriptions: 0 });
  });
}
