/** Wiring of the start page. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { startPageRoutes } from './start-page.routes.js';

/** Its routes need no credential: browsers and tools come here before they have one. */
@Module({})
export class StartPageModule {
  constructor(table: RouteTable) {
    table.add(...startPageRoutes);
  }
}
