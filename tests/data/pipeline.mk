# make -f pipeline.mk docs.unique: what is out of date is made again, and what was made by another command
allowed = --allow-rejects 0
canon = canon $(allowed)
shingle = shingle -k 10 $(allowed)
sketch = sketch -n 84 $(allowed)
simjoin = simjoin -t 0.8 $(allowed)
dedup = dedup $(allowed)
commands += canon shingle sketch simjoin dedup

.SECONDARY:
.DELETE_ON_ERROR:
%.canon: %.jsonl canon.how
	$(canon) -o $@ $<
%.shingles: %.canon shingle.how
	$(shingle) -o $@ $<
%.sketch: %.shingles sketch.how
	$(sketch) -o $@ $<
%.pairs: %.sketch simjoin.how
	$(simjoin) -o $@ $<
%.unique: %.jsonl %.pairs dedup.how
	$(dedup) --pairs $*.pairs -o $@ $<

# COMMAND.how says how a command is called; it is replaced only when that changes
$(foreach name,$(commands),\
  $(file >$(name).now,$($(name)))$(shell cmp -s $(name).now $(name).how && rm $(name).now || mv $(name).now $(name).how))
