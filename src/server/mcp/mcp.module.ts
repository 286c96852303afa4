/** Wiring of the Model Context Protocol, for servers whose settings enable it. */
import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { McpRoute, PageOrigins } from './mcp.routes.js';

/** Empty if it is off. `mayRead` says which origins' pages may read answers; null = none may. */
export function mcpModules(
  isOn: boolean,
  mayRead: ((origin: string) => boolean) | null,
): DynamicModule[] {
  if (!isOn) return [];
  const providers = [McpRoute, { provide: PageOrigins, useValue: new PageOrigins(mayRead) }];
  return [{ module: McpModule, providers }];
}

/** Only imported by servers with `STEPWELL_MCP`; it loads the SDK while the server starts. */
@Module({})
class McpModule implements OnModuleInit {
  constructor(
    table: RouteTable,
    private readonly route: McpRoute,
  ) {
    table.add(route);
  }

  /** Loaded at the start, as a later build may replace the files. */
  onModuleInit(): Promise<void> {
    return this.route.load();
  }
}
