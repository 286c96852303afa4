/** The official client of the Model Context Protocol, over what a server speaks it on. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { program } from '../program/program.js';

/** What a tool answers, and whether it is a refusal. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** Of a refusal its text. */
  readonly value: unknown;
}

/** Clients that are closed together. */
export class McpClients {
  private readonly open: Client[] = [];

  /** A client over HTTP, of the protocol as it is or as it was in 2025. */
  overHttp(url: string, authorization: string, mode: 'auto' | 'legacy' = 'auto') {
    const requestInit = { headers: { authorization } };
    return this.connected(
      new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } }),
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }),
    );
  }

  /** A client of `stepwell mcp`. */
  overPipes(url: string, token: string) {
    const env = { PATH: process.env['PATH'] ?? '', STEPWELL_URL: url, STEPWELL_TOKEN: token };
    return this.connected(
      new Client({ name: 'test', version: '1' }),
      new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }),
    );
  }

  async close(): Promise<void> {
    for (const client of this.open) await client.close();
  }

  private async connected(client: Client, transport: Parameters<Client['connect']>[0]) {
    await client.connect(transport);
    this.open.push(client);
    return client;
  }
}

/** Calls a tool. */
export async function tell(
  client: Client,
  name: string,
  words: Record<string, unknown>,
): Promise<ToolAnswer> {
  const { content, isError = false } = await client.callTool({ name, arguments: words });
  const [first] = content;
  if (first?.type !== 'text') throw new Error('a tool answers text');
  return { isError, value: isError ? first.text : JSON.parse(first.text) };
}
