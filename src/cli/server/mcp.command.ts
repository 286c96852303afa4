/** `stepwell mcp`: the tools of the Model Context Protocol on standard input and output. */

import type { Command } from 'commander';
import { request } from 'undici';
import { type Ask, inTime, wholeReply } from '../../mcp/question.js';
import { type ClientOptions, clientCommand } from '../client/client-command.js';
import { ApiClient } from '../connect/api-client.js';
import { Unreachable } from '../connect/client-errors.js';
import { findServer } from '../connect/server-address.js';
import { complain } from '../output/terminal.js';

export function mcpCommand(): Command {
  return clientCommand('mcp', 'tools for models that look at a server (Model Context Protocol)', [
    'stepwell mcp --url https://stepwell.example.com --token $READ_TOKEN',
  ]).action(serve);
}

async function serve(options: ClientOptions): Promise<void> {
  if (process.stdin.isTTY)
    complain('it waits for a client of MCP on standard input; Ctrl-C ends it');
  const { serveMcp } = await import('../../mcp/mcp.part.js');
  await serveMcp(questionsTo(new ApiClient(await findServer(options))));
}

/** `fetch` sends no body with a `GET`, which is how records are asked for by who may only read. */
function questionsTo(api: ApiClient): Ask {
  const { url } = api.address;
  return ({ target, body }, wanted) =>
    inTime(async (signal) => {
      const { statusCode, body: answer } = await request(`${url}${target}`, {
        method: 'GET',
        headers: api.credentialFor(target),
        body,
        signal,
      }).catch((error: unknown) => {
        throw new Unreachable(url, error);
      });
      return wholeReply(statusCode, answer);
    }, wanted);
}
