// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../contracts/interfaces/IDiamondLoupe.sol";
import {IFacet} from "../../contracts/interfaces/IFacet.sol";
import {LibDiamond} from "../../contracts/libraries/LibDiamond.sol";
import {CaratTest} from "./support/CaratTest.sol";
import {ListFacet} from "./support/ListFacet.sol";
import {SelectorModel, SelectorTable} from "./support/SelectorTable.sol";

/// @notice The list inside the selector table, against a model that is simple enough to be believed.
contract SelectorsTest is CaratTest {
    address internal constant ONE = address(1);
    address internal constant TWO = address(2);

    SelectorTable internal table;
    SelectorModel internal model;

    function setUp() public override {
        super.setUp();
        table = new SelectorTable();
        model = new SelectorModel();
    }

    function range(uint32 first, uint32 count) internal pure returns (bytes4[] memory list) {
        list = new bytes4[](count);
        for (uint32 i; i < count; ++i) {
            list[i] = bytes4(first + i);
        }
    }

    function add(address facet, uint32 first, uint32 count) internal {
        table.add(facet, range(first, count));
        model.add(facet, range(first, count));
    }

    function replace(address facet, uint32 first, uint32 count) internal {
        table.replace(facet, range(first, count));
        model.replace(facet, range(first, count));
    }

    function remove(uint32 first, uint32 count) internal {
        table.remove(range(first, count));
        model.remove(range(first, count));
        for (uint32 i; i < count; ++i) {
            assertEq(table.facetOf(bytes4(first + i)), address(0));
        }
        requireSame();
    }

    function requireSame() internal view {
        assertEq(abi.encode(table.facets()), abi.encode(model.facets()));
        requireList(address(table));
    }

    /// @dev The words themselves: `count` entries from `last` to the first, as the model has them, and zero behind it.
    function requireList(address which) internal view {
        uint256 head = uint256(vm.load(which, LibDiamond.SLOT));
        uint256 count = uint16(head >> 192);
        assertEq(count, model.count());
        bytes4 selector = bytes4(uint32(head >> 160));
        for (uint256 i; i < count; ++i) {
            SelectorModel.Row memory row = model.newest(i);
            uint256 entry = uint256(vm.load(which, keccak256(abi.encode(selector, uint256(LibDiamond.SLOT) + 1))));
            assertEq(selector, row.selector);
            assertEq(address(uint160(entry)), row.facet);
            selector = bytes4(uint32(entry >> 160));
        }
        assertEq(selector, bytes4(0));
    }

    function test_first_middle_and_last_can_be_removed() public {
        add(ONE, 1, 5);
        uint256 state = vm.snapshotState();
        for (uint32 i = 1; i <= 5; ++i) {
            remove(i, 1);
            vm.revertToState(state);
        }
        remove(2, 3);
        remove(5, 1);
        remove(1, 1);
    }

    function test_all_can_be_removed_in_any_order_and_come_again() public {
        uint32[4][4] memory orders =
            [[uint32(0), 1, 2, 3], [uint32(3), 2, 1, 0], [uint32(1), 3, 0, 2], [uint32(2), 0, 3, 1]];
        for (uint256 i; i < orders.length; ++i) {
            add(ONE, 0, 2);
            add(TWO, 2, 2);
            for (uint256 j; j < 4; ++j) {
                remove(orders[i][j], 1);
            }
            assertEq(table.facets().length, 0);
            assertEq(vm.load(address(table), LibDiamond.SLOT), 0);
        }
        add(TWO, 0, 4);
        remove(0, 4);
        add(ONE, 0, 1);
        requireSame();
    }

    /// @dev Zero is a selector like any other, and also what stands before the first.
    function test_selector_zero_is_one_like_any_other() public {
        for (uint32 place; place < 3; ++place) {
            for (uint32 i; i < 3; ++i) {
                add(ONE, i == place ? 0 : 10 + i, 1);
            }
            uint256 state = vm.snapshotState();
            remove(0, 1);
            vm.revertToState(state);
            for (uint32 i; i < 3; ++i) {
                if (i == place) continue;
                remove(10 + i, 1);
                assertEq(table.facetOf(0), ONE);
            }
            replace(TWO, 0, 1);
            assertEq(table.facetOf(0), TWO);
            remove(0, 1);
        }
        vm.expectRevert(abi.encodeWithSelector(IDiamondCut.SelectorUnknown.selector, bytes4(0)));
        table.remove(range(0, 1));
        vm.expectRevert(abi.encodeWithSelector(IDiamondCut.SelectorUnknown.selector, bytes4(0)));
        table.replace(ONE, range(0, 1));
    }

    function test_one_that_comes_again_is_the_newest() public {
        add(ONE, 1, 3);
        remove(1, 1);
        add(TWO, 1, 1);
        requireSame();
        assertEq(table.facets()[0].functionSelectors[0], bytes4(uint32(1)));
    }

    function test_replacing_keeps_the_order() public {
        add(ONE, 1, 4);
        replace(TWO, 2, 2);
        requireSame();
        replace(ONE, 3, 1);
        requireSame();
    }

    function test_many_facets_keep_their_selectors() public {
        for (uint32 i; i < 24; ++i) {
            add(address(uint160(100 + i % 8)), 3 * i, 3);
        }
        requireSame();
        assertEq(table.facets().length, 8);
        for (uint32 i; i < 24; ++i) {
            remove(3 * i + 1, 1);
        }
        assertEq(table.facets().length, 8);
    }

    function test_refuses_what_makes_no_sense() public {
        add(ONE, 1, 3);
        bytes4[] memory twice = new bytes4[](2);
        (twice[0], twice[1]) = (bytes4(uint32(2)), bytes4(uint32(2)));
        vm.expectRevert(abi.encodeWithSelector(IDiamondCut.SelectorExists.selector, bytes4(uint32(2)), ONE));
        table.add(TWO, range(2, 1));
        vm.expectRevert(abi.encodeWithSelector(IDiamondCut.SelectorUnknown.selector, twice[0]));
        table.remove(twice);
        vm.expectRevert(abi.encodeWithSelector(IDiamondCut.SelectorUnchanged.selector, twice[0], TWO));
        table.replace(TWO, twice);
        vm.expectRevert(abi.encodeWithSelector(IDiamondCut.NoSelectors.selector, ONE));
        table.add(ONE, range(0, 0));
        vm.expectRevert(abi.encodeWithSelector(IDiamondCut.NoSelectors.selector, ONE));
        table.replace(ONE, range(0, 0));
        vm.expectRevert(abi.encodeWithSelector(IDiamondCut.NoSelectors.selector, address(0)));
        table.remove(range(0, 0));
        requireSame();
    }

    /// @dev Any sequence, of a table that may become empty. Where the model refuses, the table does, for the same reason.
    function testFuzz_table_does_what_the_model_does(uint256 seed) public {
        for (uint256 i; i < 24; ++i) {
            bytes memory call_ = anyCall(uint256(keccak256(abi.encode(seed, i))), ONE, TWO);
            (bool expected, bytes memory reason) = address(model).call(call_);
            (bool ok, bytes memory answer) = address(table).call(call_);
            assertEq(ok, expected);
            assertEq(answer, reason);
        }
        requireSame();
    }

    /// @dev The same of a diamond, through its cut, with facets that export what is added.
    function testFuzz_diamond_does_what_the_model_does(uint256 seed) public {
        address[2] memory facets = [shared(address(new ListFacet(0, 12, 1))), shared(address(new ListFacet(0, 12, 2)))];
        approve(facets[0]);
        approve(facets[1]);
        for (uint256 i; i < releaseFacets().length; ++i) {
            model.add(releaseFacets()[i], IFacet(releaseFacets()[i]).exportSelectors());
        }
        for (uint256 i; i < 12; ++i) {
            bytes memory call_ = anyCall(uint256(keccak256(abi.encode(seed, i))), facets[0], facets[1]);
            (bool expected, bytes memory reason) = address(model).call(call_);
            call_ = asCut(call_);
            vm.prank(upgrader);
            (bool ok, bytes memory answer) = diamond.call(call_);
            assertEq(ok, expected);
            assertEq(answer, reason);
        }
        assertEq(abi.encode(loupe.facets()), abi.encode(model.facets()));
        requireList(diamond);
        requireLoupe();
    }

    /// @dev Mostly few of twelve selectors, zero among them, sometimes none and sometimes one twice.
    function anyCall(uint256 seed, address first, address second) internal pure returns (bytes memory) {
        bytes4[] memory selectors = new bytes4[]((seed >> 16) % 5);
        for (uint256 i; i < selectors.length; ++i) {
            selectors[i] = bytes4(uint32((seed >> (24 + 16 * i)) % 12));
        }
        address facet = (seed >> 128) % 2 == 0 ? first : second;
        if (seed % 4 == 3) return abi.encodeCall(SelectorTable.remove, (selectors));
        if (seed % 4 == 2) return abi.encodeCall(SelectorTable.replace, (facet, selectors));
        return abi.encodeCall(SelectorTable.add, (facet, selectors));
    }

    function asCut(bytes memory call_) internal view returns (bytes memory) {
        bytes4 what = bytes4(call_);
        bytes memory args = this.withoutSelector(call_);
        IDiamondCut.FacetCut[] memory cuts = new IDiamondCut.FacetCut[](1);
        if (what == SelectorTable.remove.selector) {
            cuts[0].action = IDiamondCut.FacetCutAction.Remove;
            cuts[0].functionSelectors = abi.decode(args, (bytes4[]));
        } else {
            if (what == SelectorTable.replace.selector) cuts[0].action = IDiamondCut.FacetCutAction.Replace;
            (cuts[0].facetAddress, cuts[0].functionSelectors) = abi.decode(args, (address, bytes4[]));
        }
        return abi.encodeCall(IDiamondCut.diamondCut, (cuts, address(0), ""));
    }

    function withoutSelector(bytes calldata call_) external pure returns (bytes memory) {
        return call_[4:];
    }

    /// @dev The four views of the loupe tell the same story, and calls go where they say.
    function requireLoupe() internal {
        IDiamondLoupe.Facet[] memory list = loupe.facets();
        address[] memory addresses = loupe.facetAddresses();
        assertEq(addresses.length, list.length);
        for (uint256 i; i < list.length; ++i) {
            assertEq(addresses[i], list[i].facetAddress);
            bytes4[] memory selectors = list[i].functionSelectors;
            assertEq(abi.encode(loupe.facetFunctionSelectors(addresses[i])), abi.encode(selectors));
            for (uint256 j; j < selectors.length; ++j) {
                assertEq(loupe.facetAddress(selectors[j]), addresses[i]);
                if (uint32(selectors[j]) >= 12) continue;
                (, bytes memory answer) = diamond.call(abi.encodePacked(selectors[j]));
                assertEq(answer, abi.encode(ListFacet(addresses[i]).mark(), selectors[j]));
            }
        }
        assertEq(loupe.facetFunctionSelectors(stranger).length, 0);
    }
}
