// Hive Gateway with its defaults: the supergraph made by mesh.config.js, which also forwards the caller's headers.
import { defineConfig } from '@graphql-hive/gateway';

export const gatewayConfig = defineConfig({ logging: 'error' });
