/** Wiring of the Model Context Protocol, of servers whose settings ask for it. */
import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { McpRoute, PageOrigins } from './mcp.routes.js';

/** None where it is off. `mayRead` tells whose pages may read answers; null = none may. */
export function mcpModules(
  isOn: boolean,
  mayRead: ((origin: string) => boolean) | null,
): DynamicModule[] {
  if (!isOn) return [];
  const providers = [McpRoute, { provide: PageOrigins, useValue: new PageOrigins(mayRead) }];
  return [{ module: McpModule, providers }];
}

/** Imported by servers with `STEPWELL_MCP` only; it loads the SDK while the server starts. */
@Module({})
class McpModule implements OnModuleInit {
  constructor(
    table: RouteTable,
    private readonly route: McpRoute,
  ) {
    table.add(route);
  }

  /** At the start: a later build has other files in the same place. */
  onModuleInit(): Promise<void> {
    return this.route.load();
  }
}
