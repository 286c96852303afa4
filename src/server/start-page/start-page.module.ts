/** Wiring of the start page. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/hot-routes.js';
import { StartPageRoutes } from './start-page.routes.js';

@Module({})
export class StartPageModule {
  constructor(table: RouteTable) {
    table.add(new StartPageRoutes());
  }
}
