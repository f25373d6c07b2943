// The app's own server. The page sends requests only to its own origin: those of a signed-in browser go to the session
// kit, and those with a pasted token to the gateway.
import { defineConfig } from 'vite';

const { GATEWAY_URL: gateway = 'http://127.0.0.1:4000', SESSION_URL: kit = gateway } = process.env;
const proxy = {
  '/graphql': { target: kit },
  '/session': { target: kit },
  '/direct': { target: gateway, rewrite: (path: string) => path.replace(/^\/direct/, '') },
};

export default defineConfig({ server: { proxy }, preview: { proxy } });
