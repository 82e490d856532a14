// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";
import {Batcher} from "../../contracts/Batcher.sol";
import {Registry} from "../../contracts/Registry.sol";
import {DealKey, DiamondBatch} from "../../contracts/interfaces/DealTypes.sol";
import {IBatcher} from "../../contracts/interfaces/IBatcher.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {BrokenFacet} from "../../contracts/mocks/MockFacets.sol";
import {CaratTest} from "./support/CaratTest.sol";

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
        list[0] = DiamondBatch(diamond, a);
        list[1] = DiamondBatch(second, b);
        list[2] = DiamondBatch(third, c);
    }

    /// @dev Makes `createDeals` of the second diamond fail as the mode in its first terms hash says.
    function breakSecond() internal {
        address facet = address(new BrokenFacet());
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
            assertEq(IDealFacet(which).dealWord(id), word(keccak256(abi.encode("terms", id)), 1));
        }
    }

    function failures() internal returns (uint256 count) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == IBatcher.BatchFailed.selector) ++count;
        }
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
            batcher.cancelDeals(batches);
        }
    }

    function test_creates_on_many_diamonds() public {
        vm.recordLogs();
        vm.prank(operator);
        batcher.createDeals(three(someKeys(1, 3), someKeys(10, 2), someKeys(20, 1)));
        assertEq(failures(), 0);
        assertCreated(diamond, 1, 3);
        assertCreated(second, 10, 2);
        assertCreated(third, 20, 1);
    }

    function test_cancels_on_many_diamonds() public {
        vm.startPrank(operator);
        batcher.createDeals(three(someKeys(1, 3), someKeys(10, 2), someKeys(20, 0)));
        batcher.cancelDeals(three(someKeys(1, 2), someKeys(10, 2), someKeys(20, 1)));
        assertEq(deals.dealWord(1), word(keccak256(abi.encode("terms", uint256(1))), 3));
        assertCreated(diamond, 3, 1);
        assertEq(IDealFacet(second).dealWord(11), word(keccak256(abi.encode("terms", uint256(11))), 3));
        assertEq(IDealFacet(third).dealWord(20), bytes32(uint256(3)));
    }

    function test_paused_parts_are_reported() public {
        pause();
        vm.recordLogs();
        vm.prank(operator);
        batcher.createDeals(three(someKeys(1, 1), someKeys(2, 1), someKeys(3, 1)));
        assertEq(failures(), 3);
        vm.expectEmit(true, true, true, true, address(batcher));
        emit IBatcher.BatchFailed(diamond, abi.encodeWithSelector(IDealFacet.Paused.selector));
        vm.prank(operator);
        batcher.createDeals(one(diamond, someKeys(1, 1)));
    }

    function test_batcher_without_the_role_is_reported() public {
        vm.prank(guardian);
        registry.setOperator(address(batcher), false);
        vm.expectEmit(true, true, true, true, address(batcher));
        emit IBatcher.BatchFailed(diamond, abi.encodeWithSelector(IDealFacet.NotOperator.selector, address(batcher)));
        vm.prank(operator);
        batcher.createDeals(one(diamond, someKeys(1, 1)));
    }

    function test_strangers_are_never_called() public {
        Registry other = new Registry(root, 0, bytes32("other"));
        address[5] memory targets = [address(other), address(registry), address(token), dealFacet, makeAddr("empty")];
        for (uint256 i; i < targets.length; ++i) {
            vm.expectCall(targets[i], abi.encodeWithSelector(IDealFacet.createDeals.selector), 0);
            vm.expectEmit(true, true, true, true, address(batcher));
            emit IBatcher.BatchFailed(targets[i], abi.encodeWithSelector(IBatcher.NotDiamond.selector, targets[i]));
            vm.prank(operator);
            batcher.createDeals(one(targets[i], someKeys(1, 1)));
        }
    }

    function test_a_stranger_spoils_no_other_part() public {
        DiamondBatch[] memory batches = three(someKeys(1, 1), someKeys(2, 1), someKeys(3, 1));
        batches[1].diamond = address(token);
        vm.prank(operator);
        batcher.createDeals(batches);
        assertCreated(diamond, 1, 1);
        assertCreated(third, 3, 1);
    }

    function test_part_that_burns_its_gas_spoils_no_other() public {
        breakSecond();
        vm.expectEmit(true, true, true, true, address(batcher));
        emit IBatcher.BatchFailed(second, "");
        vm.prank(operator);
        batcher.createDeals{gas: 2_000_000}(three(someKeys(1, 2), broken(1), someKeys(3, 2)));
        assertCreated(diamond, 1, 2);
        assertCreated(third, 3, 2);
    }

    function test_huge_reason_is_cut() public {
        breakSecond();
        vm.expectEmit(true, true, true, true, address(batcher));
        emit IBatcher.BatchFailed(second, new bytes(64));
        vm.prank(operator);
        batcher.createDeals{gas: 2_000_000}(three(someKeys(1, 2), broken(2), someKeys(3, 2)));
        assertCreated(third, 3, 2);
    }

    function test_empty_reason_with_enough_gas_is_reported() public {
        breakSecond();
        vm.expectEmit(true, true, true, true, address(batcher));
        emit IBatcher.BatchFailed(second, "");
        vm.prank(operator);
        batcher.createDeals{gas: 2_000_000}(three(someKeys(1, 2), broken(3), someKeys(3, 2)));
        assertCreated(third, 3, 2);
    }

    function test_empty_reason_with_little_gas_reverts_all() public {
        breakSecond();
        DiamondBatch[] memory batches = one(second, broken(3));
        vm.expectRevert(abi.encodeWithSelector(IBatcher.InsufficientGas.selector, second));
        vm.prank(operator);
        batcher.createDeals{gas: 150_000}(batches);
    }

    /// @dev Whatever gas it gets, a transaction does everything or nothing; running out never looks like a failure.
    function testFuzz_out_of_gas_never_skips_a_part(uint256 gas) public {
        gas = bound(gas, 30_000, 1_500_000);
        DiamondBatch[] memory batches = three(someKeys(1, 10), someKeys(11, 10), someKeys(21, 10));
        vm.recordLogs();
        vm.prank(operator);
        (bool ok,) = address(batcher).call{gas: gas}(abi.encodeCall(IBatcher.createDeals, (batches)));
        assertEq(failures(), 0);
        if (ok) {
            assertCreated(diamond, 1, 10);
            assertCreated(second, 11, 10);
            assertCreated(third, 21, 10);
        } else {
            assertEq(deals.dealWord(1), 0);
            assertEq(IDealFacet(third).dealWord(30), 0);
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
        batcher.cancelDeals(new DiamondBatch[](0));
        batcher.createDeals(one(diamond, new DealKey[](0)));
    }

    function test_takes_no_coins() public {
        vm.deal(operator, 1);
        vm.prank(operator);
        (bool ok,) = address(batcher).call{value: 1}("");
        assertFalse(ok);
    }

    function test_batcher_of_another_registry_has_no_power_here() public {
        Registry other = new Registry(address(this), 0, bytes32("other"));
        other.setOperator(address(this), true);
        Batcher foreign = new Batcher(address(other));
        vm.expectEmit(true, true, true, true, address(foreign));
        emit IBatcher.BatchFailed(diamond, abi.encodeWithSelector(IBatcher.NotDiamond.selector, diamond));
        foreign.createDeals(one(diamond, someKeys(1, 1)));
        assertEq(deals.dealWord(1), 0);
    }
}
