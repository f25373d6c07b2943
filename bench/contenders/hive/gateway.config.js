// Hive Gateway as it comes: the supergraph that mesh.config.js makes, and the caller's headers passed on by it.
import { defineConfig } from '@graphql-hive/gateway';

export const gatewayConfig = defineConfig({ logging: 'error' });
