/** Wiring of the status of a cluster node. */
import { Module } from '@nestjs/common';
import { ClusterController } from './cluster.controller.js';

/** Its controller answers on every server, with 404 if there is no cluster. */
@Module({ controllers: [ClusterController] })
export class ClusterModule {}
