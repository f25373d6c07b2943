-- The load for wrk: one request for each caller in turn. Every answer must have the length of the checked answer.
-- Its argument is a Lua file that returns { method, path, body, tenant, tokens, length, delayMs }.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  local load = dofile(args[1])
  requests, length, delayMs = {}, load.length, load.delayMs
  wrong, turn = 0, 0
  for index, token in ipairs(load.tokens) do
    local headers = {
      ["authorization"] = "Bearer " .. token,
      ["x-tenant-id"] = load.tenant,
      ["content-type"] = load.body and "application/json" or nil,
      ["accept"] = "application/json",
    }
    requests[index] = wrk.format(load.method, load.path, headers, load.body)
  end
  if delayMs > 0 then
    math.randomseed(1)
    -- The pauses are distributed as in a Poisson process, so that requests are spread as evenly at the start as later.
    -- If pauses had an upper limit, connections that started together would send together again.
    delay = function() return math.floor(-math.log(1 - math.random()) * delayMs + 0.5) end
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function response(status, headers, body)
  if status ~= 200 or #body ~= length then wrong = wrong + 1 end
end

function done(summary, latency, requests)
  local wrong = 0
  for _, thread in ipairs(threads) do wrong = wrong + thread:get("wrong") end
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  print(string.format(
    '\n{"requests":%d,"seconds":%f,"wrong":%d,"broken":%d,"p50Ms":%f,"p99Ms":%f}',
    summary.requests, summary.duration / 1e6, wrong, broken,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
