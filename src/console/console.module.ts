/** Wiring of the server's side of the console: sessions and files. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../http/routes/route-table.js';
import { CredentialWatchModule } from '../server/tokens/credential-watch.module.js';
import { ConsoleFilesRoutes } from './console-files.routes.js';
import { SessionRoutes } from './session.routes.js';
import { Sessions } from './sessions.js';

/** The pages themselves are files in `web/`, which nothing here imports. */
@Module({
  imports: [CredentialWatchModule],
  providers: [Sessions, SessionRoutes, ConsoleFilesRoutes],
})
export class ConsoleModule {
  constructor(table: RouteTable, sessions: SessionRoutes, files: ConsoleFilesRoutes) {
    table.add(...sessions.routes, ...files.routes);
  }
}
