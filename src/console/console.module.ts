/** Wiring of the console, as far as it is the server's: sessions and files. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../http/routes/route-table.js';
import { CredentialWatchModule } from '../server/tokens/credential-watch.module.js';
import { ConsoleFilesRoutes } from './console-files.routes.js';
import { SessionRoutes } from './session.routes.js';
import { Sessions } from './sessions.js';

/** The pages themselves are files of `web/`, which nothing here imports. */
@Module({
  imports: [CredentialWatchModule],
  providers: [Sessions, SessionRoutes, ConsoleFilesRoutes],
})
export class ConsoleModule {
  constructor(table: RouteTable, sessions: SessionRoutes, files: ConsoleFilesRoutes) {
    table.add(...sessions.routes, ...files.routes);
  }
}
