// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";
import {Batcher} from "../../contracts/Batcher.sol";
import {Registry} from "../../contracts/Registry.sol";
import {CancelBatch, DealKey, DiamondBatch} from "../../contracts/interfaces/DealTypes.sol";
import {IBatcher} from "../../contracts/interfaces/IBatcher.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {BrokenFacet} from "../../contracts/mocks/MockFacets.sol";
import {CaratTest} from "./support/CaratTest.sol";
import {FakeDiamond} from "./support/FakeDiamond.sol";
import {HungryDiamond} from "./support/HungryDiamond.sol";
import {LeavingDiamond} from "./support/LeavingDiamond.sol";

/// @notice A cheat code that forge has and the library of its tests has not.
interface Cooling {
    function cool(address target) external;
}

contract BatcherTest is CaratTest {
    address internal second;
    address internal third;

    function setUp() public override {
        super.setUp();
        second = registry.createDiamond(NODE, bytes16(uint128(0x33)));
        third = registry.createDiamond(NODE, bytes16(uint128(0x44)));
    }

    function three(DealKey[] memory a, DealKey[] memory b, DealKey[] memory c)
        internal
        view
        returns (DiamondBatch[] memory list)
    {
        list = new DiamondBatch[](3);
        list[0] = DiamondBatch(diamond, gasFor(a.length), a);
        list[1] = DiamondBatch(second, gasFor(b.length), b);
        list[2] = DiamondBatch(third, gasFor(c.length), c);
    }

    /// @dev Makes `createDeals` of the second diamond fail as the mode in its first terms hash says.
    function breakSecond() internal {
        address facet = shared(address(new BrokenFacet()));
        approve(facet);
        vm.prank(upgrader);
        IDiamondCut(second)
            .diamondCut(
                cutOf(facet, IDiamondCut.FacetCutAction.Replace, IDealFacet.createDeals.selector), address(0), ""
            );
    }

    function broken(uint256 mode) internal pure returns (DealKey[] memory) {
        return one(DealKey(1, bytes32(mode)));
    }

    function assertCreated(address which, uint256 first, uint256 count) internal view {
        for (uint256 id = first; id < first + count; ++id) {
            assertEq(wordOf(which, id), word(keccak256(abi.encode("terms", id)), 1));
        }
    }

    function cancels(DiamondBatch[] memory batches) internal pure returns (CancelBatch[] memory list) {
        list = new CancelBatch[](batches.length);
        for (uint256 i; i < list.length; ++i) {
            list[i] = CancelBatch(batches[i].diamond, batches[i].gasLimit, idsOf(batches[i].deals));
        }
    }

    /// @dev The answer and the events tell the same: which parts failed, and why.
    function requireTold(DiamondBatch[] memory batches, bytes[] memory failures) internal {
        assertEq(failures.length, batches.length);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 seen;
        for (uint256 i; i < batches.length; ++i) {
            while (seen < logs.length && logs[seen].emitter != address(batcher)) ++seen;
            if (failures[i].length == 0) continue;
            assertEq(logs[seen].topics[0], IBatcher.BatchFailed.selector);
            assertEq(address(uint160(uint256(logs[seen].topics[1]))), batches[i].diamond);
            assertEq(abi.decode(logs[seen].data, (bytes)), failures[i]);
            ++seen;
        }
        while (seen < logs.length) assertTrue(logs[seen++].emitter != address(batcher));
    }

    function create(DiamondBatch[] memory batches) internal returns (bytes[] memory failures) {
        vm.recordLogs();
        vm.prank(operator);
        failures = batcher.createDeals{gas: 4_000_000}(batches);
        requireTold(batches, failures);
    }

    function cancelAll(DiamondBatch[] memory batches) internal returns (bytes[] memory failures) {
        vm.recordLogs();
        vm.prank(operator);
        failures = batcher.cancelDeals{gas: 4_000_000}(cancels(batches));
        requireTold(batches, failures);
    }

    function requireNone(bytes[] memory failures) internal pure {
        for (uint256 i; i < failures.length; ++i) {
            assertEq(failures[i], "");
        }
    }

    /// @dev Only the second part failed, and for this reason.
    function requireSecond(bytes[] memory failures, bytes memory reason) internal pure {
        assertEq(failures[1], reason);
        assertTrue(reason.length > 0);
        (failures[1]) = "";
        requireNone(failures);
    }

    function test_tells_its_registry() public view {
        assertEq(batcher.registry(), address(registry));
    }

    function test_reverts_when_caller_is_no_operator() public {
        address[6] memory callers = [root, upgrader, guardian, buyer, stranger, diamond];
        DiamondBatch[] memory batches = one(diamond, someKeys(1, 1));
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IBatcher.NotOperator.selector, callers[i]));
            vm.prank(callers[i]);
            batcher.createDeals(batches);
            vm.expectRevert(abi.encodeWithSelector(IBatcher.NotOperator.selector, callers[i]));
            vm.prank(callers[i]);
            batcher.cancelDeals(cancels(batches));
        }
    }

    function test_reverts_when_operator_was_revoked() public {
        vm.prank(guardian);
        registry.setRole(Roles.OPERATOR, operator, false);
        vm.expectRevert(abi.encodeWithSelector(IBatcher.NotOperator.selector, operator));
        vm.prank(operator);
        batcher.createDeals(one(diamond, someKeys(1, 1)));
    }

    function test_creates_on_many_diamonds() public {
        requireNone(create(three(someKeys(1, 3), someKeys(10, 2), someKeys(20, 1))));
        assertCreated(diamond, 1, 3);
        assertCreated(second, 10, 2);
        assertCreated(third, 20, 1);
    }

    function test_cancels_on_many_diamonds() public {
        create(three(someKeys(1, 3), someKeys(10, 2), someKeys(20, 0)));
        requireNone(cancelAll(three(someKeys(1, 2), someKeys(10, 2), someKeys(20, 1))));
        assertEq(wordOf(1), word(keccak256(abi.encode("terms", uint256(1))), 3));
        assertCreated(diamond, 3, 1);
        assertEq(wordOf(second, 11), word(keccak256(abi.encode("terms", uint256(11))), 3));
        assertEq(wordOf(third, 20), bytes32(uint256(3)));
    }

    /// @dev One diamond may have several parts.
    function test_parts_of_one_diamond_come_in_order() public {
        DiamondBatch[] memory batches = three(someKeys(1, 1), someKeys(1, 2), someKeys(3, 1));
        (batches[1].diamond, batches[2].diamond) = (diamond, diamond);
        requireNone(create(batches));
        assertCreated(diamond, 1, 3);
    }

    function test_paused_parts_are_told() public {
        pause();
        bytes[] memory failures = create(three(someKeys(1, 1), someKeys(2, 1), someKeys(3, 1)));
        for (uint256 i; i < 3; ++i) {
            assertEq(failures[i], abi.encodeWithSelector(IDealFacet.Paused.selector));
        }
        requireNone(cancelAll(three(someKeys(1, 1), someKeys(2, 1), someKeys(3, 1))));
    }

    function test_batcher_without_the_role_is_told() public {
        vm.prank(guardian);
        registry.setRole(Roles.OPERATOR, address(batcher), false);
        bytes memory reason = abi.encodeWithSelector(IDealFacet.NotOperator.selector, address(batcher));
        assertEq(create(one(diamond, someKeys(1, 1)))[0], reason);
        assertEq(cancelAll(one(diamond, someKeys(1, 1)))[0], reason);
    }

    /// @dev A call of an address without code succeeds, and must not look like deals that were created.
    function test_part_without_code_is_told() public {
        DiamondBatch[] memory batches = three(someKeys(1, 1), someKeys(2, 1), someKeys(3, 1));
        batches[1].diamond = makeAddr("empty");
        bytes memory reason = abi.encodeWithSelector(IBatcher.NotDiamond.selector, batches[1].diamond);
        requireSecond(create(batches), reason);
        requireSecond(cancelAll(batches), reason);
        assertEq(wordOf(1), word(keccak256(abi.encode("terms", uint256(1))), 3));
        assertEq(wordOf(third, 3), word(keccak256(abi.encode("terms", uint256(3))), 3));
    }

    /// @dev Contracts that are no diamonds fail by themselves, and spoil no other part.
    function test_part_that_is_no_diamond_is_told() public {
        address[5] memory targets = [address(registry), address(token), cutFacet, loupeFacet, address(batcher)];
        for (uint256 i; i < targets.length; ++i) {
            DiamondBatch[] memory batches = three(someKeys(1, 1), someKeys(2, 1), someKeys(3, 1));
            batches[1].diamond = targets[i];
            requireSecond(create(batches), abi.encodeWithSelector(IBatcher.NoReason.selector, targets[i]));
            requireSecond(cancelAll(batches), abi.encodeWithSelector(IBatcher.NoReason.selector, targets[i]));
        }
        assertEq(wordOf(third, 3), word(keccak256(abi.encode("terms", uint256(3))), 3));
    }

    function test_part_that_burns_its_gas_spoils_no_other() public {
        breakSecond();
        bytes[] memory failures = create(three(someKeys(1, 2), broken(1), someKeys(3, 2)));
        requireSecond(failures, abi.encodeWithSelector(IBatcher.OutOfGas.selector, second));
        assertCreated(diamond, 1, 2);
        assertCreated(third, 3, 2);
    }

    /// @dev A part with two deals may burn 270,000, however much gas there is.
    function test_part_that_burns_its_gas_burns_no_more_than_its_limit() public {
        DiamondBatch[] memory batches = three(someKeys(1, 2), someKeys(3, 2), someKeys(5, 2));
        batches[1].diamond = address(new FakeDiamond("", false, true));
        uint256 beforehand = gasleft();
        vm.prank(operator);
        bytes[] memory failures = batcher.createDeals{gas: 16_000_000}(batches);
        assertLt(beforehand - gasleft(), 1_000_000);
        requireSecond(failures, abi.encodeWithSelector(IBatcher.OutOfGas.selector, batches[1].diamond));
        assertCreated(third, 5, 2);
    }

    function test_huge_reason_is_cut() public {
        breakSecond();
        requireSecond(create(three(someKeys(1, 2), broken(2), someKeys(3, 2))), new bytes(64));
        assertCreated(third, 3, 2);
    }

    function test_empty_reason_with_enough_gas_is_told() public {
        breakSecond();
        bytes[] memory failures = create(three(someKeys(1, 2), broken(3), someKeys(3, 2)));
        requireSecond(failures, abi.encodeWithSelector(IBatcher.NoReason.selector, second));
        assertCreated(third, 3, 2);
    }

    function test_empty_reason_with_little_gas_reverts_all() public {
        breakSecond();
        DiamondBatch[] memory batches = one(second, broken(3));
        vm.expectRevert(abi.encodeWithSelector(IBatcher.InsufficientGas.selector, second));
        vm.prank(operator);
        batcher.createDeals{gas: 150_000}(batches);
    }

    /// @dev A diamond's facet and its registry keep 1/64 each when the last of them burns all: 1/32 in sum, a bit less.
    function test_part_that_used_up_its_gas_is_told_apart() public {
        uint256[4] memory left = [uint256(500_000), 65_000, 60_000, 1000];
        for (uint256 i; i < left.length; ++i) {
            DiamondBatch[] memory batches = three(someKeys(10 * i, 1), someKeys(10 * i, 1), someKeys(10 * i, 1));
            (batches[1].diamond, batches[1].gasLimit) = (address(new LeavingDiamond(left[i])), 2_000_000);
            bytes4 reason = i < 2 ? IBatcher.NoReason.selector : IBatcher.OutOfGas.selector;
            requireSecond(create(batches), abi.encodeWithSelector(reason, batches[1].diamond));
            requireSecond(cancelAll(batches), abi.encodeWithSelector(reason, batches[1].diamond));
        }
    }

    function test_reason_is_told_however_little_gas_there_is() public {
        bytes memory reason = abi.encodeWithSelector(IDealFacet.Paused.selector);
        DiamondBatch[] memory batches = one(address(new FakeDiamond(reason, true, false)), someKeys(1, 1));
        batches[0].gasLimit = type(uint256).max;
        assertEq(create(batches)[0], reason);
        assertEq(cancelAll(batches)[0], reason);
    }

    function test_part_gets_the_gas_it_was_given() public {
        DiamondBatch[] memory batches = one(address(new HungryDiamond(1_000_000, "")), someKeys(1, 1));
        batches[0].gasLimit = 1_001_000;
        requireNone(create(batches));
        requireNone(cancelAll(batches));
        batches[0].gasLimit = 999_000;
        bytes memory reason = abi.encodeWithSelector(IBatcher.OutOfGas.selector, batches[0].diamond);
        assertEq(create(batches)[0], reason);
        assertEq(cancelAll(batches)[0], reason);
    }

    function test_limit_may_be_more_than_there_is() public {
        DiamondBatch[] memory batches = three(someKeys(1, 2), someKeys(3, 2), someKeys(5, 2));
        for (uint256 i; i < 3; ++i) {
            batches[i].gasLimit = type(uint256).max >> (64 * i);
        }
        requireNone(create(batches));
        assertCreated(third, 5, 2);
        requireNone(cancelAll(batches));
    }

    /// @dev In the diamond, in its facet, or in the registry that the facet asks: lack of gas never blames the diamond.
    function testFuzz_diamond_that_lacks_gas_is_out_of_gas(uint256 limit, uint256 count) public {
        count = bound(count, 0, 10);
        limit = bound(limit, 0, 30_000 + count * 30_000);
        DiamondBatch[] memory batches = three(someKeys(1, 1), someKeys(1, count), someKeys(1, 1));
        batches[1].gasLimit = limit;
        bytes[] memory failures = create(batches);
        if (failures[1].length == 0) assertCreated(second, 1, count);
        else requireSecond(failures, abi.encodeWithSelector(IBatcher.OutOfGas.selector, second));
        assertCreated(third, 1, 1);
    }

    /// @dev The part alone, called as the batcher would, with all the gas of its limit; then the batch with any gas.
    function testFuzz_part_that_works_alone_is_never_told(uint256 limit, uint256 gas, uint256 count) public {
        count = bound(count, 1, 10);
        limit = bound(limit, 20_000, 60_000 + count * 30_000);
        gas = bound(gas, limit, limit + limit / 8 + 30_000);
        DiamondBatch[] memory batches = one(diamond, someKeys(1, count));
        batches[0].gasLimit = limit;
        uint256 snapshot = vm.snapshotState();
        cool();
        vm.prank(address(batcher));
        (bool works,) = diamond.call{gas: limit}(abi.encodeCall(IDealFacet.createDeals, (batches[0].deals)));
        vm.revertToState(snapshot);
        cool();
        vm.prank(operator);
        (bool ok, bytes memory answer) =
            address(batcher).call{gas: gas}(abi.encodeCall(IBatcher.createDeals, (batches)));
        if (!ok || !works) return;
        requireNone(abi.decode(answer, (bytes[])));
        assertCreated(diamond, 1, count);
    }

    /// @dev As a transaction of its own finds them.
    function cool() internal {
        Cooling(address(vm)).cool(diamond);
        Cooling(address(vm)).cool(dealFacet);
        Cooling(address(vm)).cool(address(registry));
        Cooling(address(vm)).cool(address(batcher));
    }

    function testFuzz_hostile_part_burns_no_more_than_its_limit(uint256 limit) public {
        limit = bound(limit, 0, 10_000_000);
        DiamondBatch[] memory batches = one(address(new FakeDiamond("", false, true)), someKeys(1, 1));
        batches[0].gasLimit = limit;
        uint256 beforehand = gasleft();
        vm.prank(operator);
        bytes[] memory failures = batcher.createDeals{gas: 16_000_000}(batches);
        assertLt(beforehand - gasleft(), limit + 50_000);
        assertEq(failures[0], abi.encodeWithSelector(IBatcher.OutOfGas.selector, batches[0].diamond));
    }

    /// @dev So an estimate, which looks for the least gas that does not revert, finds one that does all that can be done.
    function testFuzz_what_failed_depends_on_limits_only(uint256 gas) public {
        gas = bound(gas, 30_000, 1_200_000);
        DiamondBatch[] memory batches = three(someKeys(1, 5), someKeys(1, 5), someKeys(1, 5));
        batches[1].gasLimit = 60_000;
        vm.prank(operator);
        (bool ok, bytes memory answer) =
            address(batcher).call{gas: gas}(abi.encodeCall(IBatcher.createDeals, (batches)));
        if (!ok) {
            assertEq(wordOf(1), 0);
            return;
        }
        requireSecond(abi.decode(answer, (bytes[])), abi.encodeWithSelector(IBatcher.OutOfGas.selector, second));
        assertCreated(diamond, 1, 5);
        assertCreated(third, 1, 5);
        assertEq(wordOf(second, 1), 0);
    }

    /// @dev A call keeps back a 64th of the gas (EIP-150), so a part gets less than its 750,000 when a little more is left; and
    ///      the call itself takes some. Small steps find the few amounts between the one and the other.
    function test_part_that_got_less_than_its_gas_is_never_told() public {
        address hungry = address(new HungryDiamond(749_900, ""));
        uint256 done;
        uint256 short;
        for (uint256 gas = 760_000; gas < 800_000; gas += 20) {
            vm.prank(operator);
            (bool ok, bytes memory answer) =
                address(batcher).call{gas: gas}(abi.encodeCall(IBatcher.createDeals, (one(hungry, someKeys(1, 10)))));
            if (ok) {
                requireNone(abi.decode(answer, (bytes[])));
                ++done;
            } else {
                assertEq(answer, abi.encodeWithSelector(IBatcher.InsufficientGas.selector, hungry));
                ++short;
            }
        }
        assertGt(done, 0);
        assertGt(short, 0);
    }

    /// @dev The role is the batcher's own registry's, and a diamond asks its own.
    function test_batcher_of_another_registry_has_no_power_here() public {
        Registry other = new Registry(address(this), 0, bytes32("other"));
        other.setRole(Roles.OPERATOR, address(this), true);
        Batcher foreign = new Batcher(address(other));
        bytes[] memory failures = foreign.createDeals(one(diamond, someKeys(1, 1)));
        assertEq(failures[0], abi.encodeWithSelector(IDealFacet.NotOperator.selector, address(foreign)));
        assertEq(wordOf(1), 0);
    }

    /// @dev Whatever gas it gets, a transaction does everything or nothing; running out never looks like a failure.
    function testFuzz_out_of_gas_never_skips_a_part(uint256 gas) public {
        gas = bound(gas, 30_000, 1_500_000);
        DiamondBatch[] memory batches = three(someKeys(1, 10), someKeys(11, 10), someKeys(21, 10));
        vm.prank(operator);
        (bool ok, bytes memory answer) =
            address(batcher).call{gas: gas}(abi.encodeCall(IBatcher.createDeals, (batches)));
        if (ok) {
            requireNone(abi.decode(answer, (bytes[])));
            assertCreated(diamond, 1, 10);
            assertCreated(second, 11, 10);
            assertCreated(third, 21, 10);
        } else {
            assertEq(wordOf(1), 0);
            assertEq(wordOf(third, 30), 0);
        }
    }

    function test_largest_batch_fits_a_transaction() public {
        DiamondBatch[] memory batches = one(diamond, someKeys(1, 600));
        vm.prank(operator);
        batcher.createDeals{gas: 16_000_000}(batches);
        assertCreated(diamond, 1, 600);
    }

    function test_empty_batches_are_fine() public {
        vm.startPrank(operator);
        batcher.createDeals(new DiamondBatch[](0));
        batcher.cancelDeals(new CancelBatch[](0));
        batcher.createDeals(one(diamond, new DealKey[](0)));
    }

    function test_takes_no_coins() public {
        vm.deal(operator, 1);
        vm.prank(operator);
        (bool ok,) = address(batcher).call{value: 1}("");
        assertFalse(ok);
    }
}
