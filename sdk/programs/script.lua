-- What lua.c runs: closures, tables, strings, coroutines, errors, numbers, files.
local out = assert(io.open(arg[1], "w"))
local function say(...) out:write(string.format(...), "\n") end

local function fibonacci(n) return n < 2 and n or fibonacci(n - 1) + fibonacci(n - 2) end
say("fibonacci %d", fibonacci(20))

local count, text = {}, assert(io.open(arg[2])):read("a")
for word in text:gmatch("%a+") do count[word] = (count[word] or 0) + 1 end
local words = {}
for word in pairs(count) do words[#words + 1] = word end
table.sort(words, function(a, b)
  if count[a] ~= count[b] then return count[a] > count[b] end
  return a < b
end)
for i = 1, 20 do say("%-12s %5d", words[i], count[words[i]]) end

local function primes(limit)
  return coroutine.wrap(function()
    local composite = {}
    for i = 2, limit do
      if not composite[i] then
        coroutine.yield(i)
        for j = i * i, limit, i do composite[j] = true end
      end
    end
  end)
end
local sum = 0
for prime in primes(20000) do sum = sum + prime end
say("primes %d", sum)

local point = setmetatable({}, { __index = function(_, key) return key .. "!" end,
                                 __call = function(_, a, b) return a * b end })
say("%s %d", point.name, point(6, 7))
say("%s", select(2, pcall(error, { code = 7 })).code)
say("%s", select(2, pcall(function() return 1 + nil end)))
say("%.6f %.6f %.3e %d %x", math.sqrt(2), math.exp(1), 2 ^ 100, 1 << 62, 0xdeadbeef)
say("%s %s %s", 7 // 2, -7 % 3, 1e15)
say("%s", ("flyball"):rep(3, "-"):upper():reverse():gsub("B", "b"))
say("%s", string.pack("<i4d", 1, 0.5):byte(-1))
out:close()
