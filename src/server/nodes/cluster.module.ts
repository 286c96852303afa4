/** Wiring of what a node of a cluster says of itself. */
import { Module } from '@nestjs/common';
import { ClusterController } from './cluster.controller.js';

@Module({ controllers: [ClusterController] })
export class ClusterModule {}
