/** `stepwell mcp`: the tools of the Model Context Protocol, over standard input and output. */

import type { Command } from 'commander';
import { type Ask, inTime, wholeReply } from '../../mcp/question.js';
import { type ClientOptions, clientCommand } from '../client/client-command.js';
import { ApiClient } from '../connect/api-client.js';
import { Unreachable } from '../connect/client-errors.js';
import { exchange } from '../connect/exchange.js';
import { findServer } from '../connect/server-address.js';
import { printError } from '../output/terminal.js';

/**
 * Started by a client of the protocol. It serves that client until the client closes standard
 * input, and queries a running server with the rights of its credential.
 */
export function mcpCommand(): Command {
  return clientCommand('mcp', 'tools for models that inspect a server (Model Context Protocol)', [
    'stepwell mcp --url https://stepwell.example.com --token $READ_TOKEN',
  ]).action(serve);
}

async function serve(options: ClientOptions): Promise<void> {
  if (process.stdin.isTTY)
    printError('waiting for an MCP client on standard input; Ctrl-C ends it');
  const { serveMcp } = await import('../../mcp/mcp.part.js');
  await serveMcp(questionsTo(new ApiClient(await findServer(options))));
}

/** Records are read by `GET` with a body, so that a credential which may only read suffices. */
function questionsTo(api: ApiClient): Ask {
  const { url } = api.address;
  return ({ target, body }, wanted) =>
    inTime(async (signal) => {
      const headers = api.credentialFor(target);
      const asked = { method: 'GET', headers, body: body ?? undefined, signal };
      const answer = await exchange(url, target, asked).catch((error: unknown) => {
        throw new Unreachable(url, error);
      });
      return wholeReply(answer.statusCode ?? 0, answer);
    }, wanted);
}
