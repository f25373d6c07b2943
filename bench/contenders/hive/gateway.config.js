// Hive Gateway with its defaults. mesh.config.js makes the supergraph, and forwards the caller's headers.
import { defineConfig } from '@graphql-hive/gateway';

export const gatewayConfig = defineConfig({ logging: 'error' });
