/** The description of the endpoint for the Model Context Protocol. */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';

/** `POST /mcp`; the protocol itself defines its messages, not this document. */
export const mcpRoute: RouteDescription = {
  summary: 'Inspect the server with the tools of the Model Context Protocol (docs/mcp.md)',
  isForReaders: true,
  changes: false,
  body: {
    isRequired: true,
    schema: () =>
      z.looseObject({
        jsonrpc: z.literal('2.0'),
        id: z.union([z.string(), z.number()]).describe('Absent in notifications').optional(),
        method: z.string().describe('initialize, tools/list, tools/call, ...'),
      }),
    example: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'example', version: '1' },
      },
    },
  },
  refuses: [403],
  answers: {
    200: {
      description: 'The answer, as JSON or as the only event of a stream, depending on Accept',
      contentType: 'text/event-stream',
      alternatives: ['application/json'],
    },
    202: { description: 'The notification was accepted' },
  },
};
