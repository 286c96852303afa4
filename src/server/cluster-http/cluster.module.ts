/** Wiring of what a node of a cluster says of itself. */
import { Module } from '@nestjs/common';
import { ClusterController } from './cluster.controller.js';

/** Its controller answers on every server, with 404 where there is no cluster. */
@Module({ controllers: [ClusterController] })
export class ClusterModule {}
