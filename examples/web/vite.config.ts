// The app's own server. It passes /graphql on to the gateway, so that the page sends requests only to its own origin.
import { defineConfig } from 'vite';

const gateway = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:4000';
const proxy = { '/graphql': { target: gateway } };

export default defineConfig({ server: { proxy }, preview: { proxy } });
