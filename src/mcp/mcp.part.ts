/**
 * The Model Context Protocol, by its official SDK. It is bundled as a separate file, so that
 * nothing of it is loaded unless it is used (ADR 59).
 */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Ask } from './question.js';
import { toolServer } from './tools.js';

/** A request as it arrived; its body is complete. */
export interface McpRequest {
  /** Names in lower case; of repeated headers, the first. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** An answer to a `POST`, to be sent unchanged. */
export interface McpAnswer {
  readonly status: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Only its path matters to the SDK. */
const endpoint = 'http://stepwell/mcp';

/** The server decides whether the connection is kept, as for every other route. */
const ofHop: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Answers one `POST`. No state is kept between requests, and no stream stays open. */
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

/** Serves one client on standard input and output, until it closes standard input. */
export async function serveMcp(ask: Ask): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdin.once('close', resolve);
    serveStdio(() => toolServer(ask), { maxSubscriptions: 0 });
  });
}
